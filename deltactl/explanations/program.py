"""Codes of the program itself: usage, settings, output."""

from deltactl.explanations.entry import Explanation

PROGRAM = {
    "BUG": Explanation(
        1,
        "something happened that deltactl did not foresee",
        """\
This is a mistake in deltactl, not in your table.
Run the command again with -v, and report what it prints.""",
    ),
    "CODE_UNKNOWN": Explanation(
        3,
        "no error or warning has this code",
        """\
Codes are the upper-case words in brackets at the end of an error or a warning.
Run `deltactl explain` without a code to list them all.""",
    ),
    "CONFIG_INVALID": Explanation(
        2,
        "a configuration file gives a setting a value that it cannot have",
        """\
The message names the file, the line and the key.
Correct the value there; `deltactl config show` then shows what holds, and where it comes from.""",
    ),
    "CONFIG_KEY_UNKNOWN": Explanation(
        2,
        "a configuration file has a setting that deltactl does not know",
        """\
Keys are spelled as the flags are: output, timeout, no-color, and so on. Beside them there are
the tables [tables], [storage-options] and [profiles.NAME]. A name in [tables] takes a path or a
URL, or a table with the keys uri and profile.
A key that is not known is refused, since a misspelt one would silently do nothing.""",
    ),
    "CONFIG_NOT_TOML": Explanation(
        2,
        "a configuration file is not TOML",
        """\
The message names the file and the line where the parser gave up.
Texts need quotes, and a table's header stands alone on its line: [storage-options].""",
    ),
    "CONFIG_NOT_FOUND": Explanation(
        3,
        "there is no configuration file of that name",
        """\
deltactl config trust and untrust use the deltactl.toml that you name. Without a name they use the
one in this folder, or in the nearest folder above.""",
    ),
    "CONFIG_UNREADABLE": Explanation(
        2,
        "a configuration file exists but cannot be read",
        """\
It may not be readable to you, or is not text in UTF-8.
deltactl stops rather than work without settings that you may rely on.""",
    ),
    "CONFIG_UNTRUSTED": Explanation(
        4,
        "a configuration file has settings that count only if you trust the file",
        """\
These could run programs as you, or send your credentials away: credentials and what finds them,
endpoints, proxies, settings of Spark, names in [tables] that lead to another host, and what
replaces a profile or a name of yours. deltactl ignores them until you run `config trust FILE`.
A change of the file ends the trust. If others can change the file, trust it for one run only:
--trust-config FILE or DELTACTL_TRUST_CONFIG=FILE. All other settings always count.""",
    ),
    "ENVIRONMENT_INVALID": Explanation(
        2,
        "an environment variable has a value that its setting cannot have",
        """\
The message names the variable. Switches take true or false, times look like 30s or 2m.
Correct the variable, or unset it.""",
    ),
    "INTERRUPTED": Explanation(
        130,
        "the command was stopped before it was done",
        """\
Ctrl-C, SIGTERM and SIGHUP stop a command; temporary files are removed, and Spark ends with it.
The message of a command that changes tables says what was written before that.
Run the command again when you want its answer.""",
    ),
    "IO_FAILED": Explanation(
        8,
        "the operating system refused something",
        """\
The message names the file and the reason that the system gave.
Look at permissions, at free space, and at whether the disk or the mount is healthy.""",
    ),
    "NESTED_TOO_DEEPLY": Explanation(
        5,
        "something in the log is nested more deeply than can be read",
        """\
No engine writes JSON that is nested so deeply; the file was damaged or made to do harm.
Run with -v to see which file was being read.""",
    ),
    "OUTPUT_FAILED": Explanation(
        8,
        "the result could not be written to where stdout goes",
        """\
Usually the disk that stdout is redirected to is full. What was printed so far is not complete.
As an error it also means that no table was changed. As a warning it follows what was changed, such
as the version that was committed, and the exit code is that of the change.""",
    ),
    "OUT_OF_MEMORY": Explanation(
        8,
        "the machine, or a limit on this process, has no more memory",
        """\
Give the process more memory, or ask for less: --at an older version, a smaller limit, or
-o ndjson, which prints long lists as they come instead of holding them.""",
    ),
    "PROFILE_AMBIGUOUS": Explanation(
        2,
        "a saved plan is for a table that has several names, with different profiles",
        """\
A plan keeps the place of its table, not the name it was planned by. Where names in [tables] of
deltactl.toml give that place different profiles, `deltactl apply` does not choose: say which with
--profile NAME, or DELTACTL_PROFILE.""",
    ),
    "PROFILE_UNKNOWN": Explanation(
        2,
        "the profile that was named is in no configuration file",
        """\
Profiles are the tables [profiles.NAME] of deltactl.toml, here or in a folder above, and of
config.toml in ~/.config/deltactl. The message names the files that were read, or the line where a
name in [tables] has this profile; one given by --profile goes before that.""",
    ),
    "USAGE": Explanation(
        2,
        "the command line does not say what to do",
        """\
A command, an option or an argument is unknown, missing, or has a value that it cannot have.
--help after a command shows what it takes.""",
    ),
}

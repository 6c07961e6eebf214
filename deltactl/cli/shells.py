"""The completion scripts, made from Click's templates for the shells that we complete in."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")
PROGRAM = "deltactl"
VARIABLE = "_DELTACTL_COMPLETE"

# Click leaves folders to bash and then drops every other completion, such as the names of tables.
# Bash can offer both, and with `filenames` it goes on below a folder without a space.
FOLDERS_ONLY = "COMPREPLY=()\n            compopt -o dirnames"
FOLDERS_TOO = 'compopt -o filenames\n            COMPREPLY+=($(compgen -d -- "$value"))'
# A column's name may hold what a shell obeys: backticks, spaces, globs.
UNQUOTED = "COMPREPLY+=($value)"
QUOTED = """COMPREPLY+=("$(printf '%q' "$value")")"""


def script(shell: str) -> str:
    """Return the script that makes `shell` ask deltactl for completions."""
    maker = get_completion_class(shell)
    if maker is None:
        raise ValueError(f"Click has no completions for {shell}")
    completing = maker(click.Command(PROGRAM), {}, PROGRAM, VARIABLE)
    # `source()` would first start a bash to ask for its version.
    text = completing.source_template % completing.source_vars()
    return text.replace(FOLDERS_ONLY, FOLDERS_TOO).replace(UNQUOTED, QUOTED)

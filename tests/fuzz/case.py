"""One damaged log, the commands that are run on it, and all that may be wrong with how they end."""

import base64
import json
import os
import random
import re
import shutil
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from command_line import Result, run
from commands import OF_FILES, OUTPUTS, READS, WRITES
from mutations import mutate
from oracle import State, differences, states
from tables import LOG, Base, Files, Special, read, write

CODES = (0, 2, 3, 4, 5, 6, 8)
"""Those that a command can end with: no bug (1), no doubt of a local disk (7)."""
NO_SPARK = ("[JAVA_MISSING]", "[SPARK_NOT_INSTALLED]", "[JARS_MISSING]")
"""With them the exit code is 9: the fuzzer has no Java."""

READING, WRITING = 5, 2
ANSWERS = ("show", "files", "schema show")
_NAME = re.compile(rb'\\*"name\\*":\\*"([A-Za-z_][A-Za-z0-9_]*)\\*"')


@dataclass(frozen=True)
class Case:
    """A log, by the files in which it differs from a base, and command lines to run on it."""

    base: str
    changed: Mapping[str, bytes | Special | None]
    commands: Sequence[Sequence[str]]
    how: str = ""

    def to_json(self) -> dict[str, Any]:
        def said(content: bytes | Special | None) -> Any:
            if not isinstance(content, bytes):
                return content and {"special": content}
            try:
                return {"text": content.decode()}
            except UnicodeDecodeError:
                return {"zlib": base64.b64encode(zlib.compress(content, 9)).decode()}

        return {
            "base": self.base,
            "how": self.how,
            "commands": [list(words) for words in self.commands],
            "changed": {name: said(content) for name, content in self.changed.items()},
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Case":
        def content(said: Mapping[str, str] | None) -> bytes | Special | None:
            match said:
                case {"text": text}:
                    return text.encode()
                case {"zlib": text}:
                    return zlib.decompress(base64.b64decode(text))
                case {"special": special}:
                    return special
                case _:
                    return None

        changed = {name: content(said) for name, said in found["changed"].items()}
        return cls(found["base"], changed, found["commands"], found["how"])


def case_of(seed: int, bases: Mapping[str, Base]) -> Case:
    """The case of a number; the same for as long as the bases and the mutations stay."""
    rng = random.Random(seed)
    name = rng.choice(sorted(bases))
    before = bases[name].files
    files: Files = dict(before)
    done = mutate(files, rng)
    columns = _NAME.findall(b"".join(data for key, data in before.items() if key[:1] == "0"))
    column = rng.choice(columns).decode() if columns else "id"
    commands = [*rng.sample(READS, READING), *rng.sample(WRITES, WRITING)]
    filled = [
        [
            *(word.replace("COLUMN", column) for word in words),
            *(["--yes"] if words in WRITES else []),
            "-o",
            rng.choice(OUTPUTS),
        ]
        for words in commands
    ]
    names = sorted({*before, *files})
    changed = {key: files.get(key) for key in names if files.get(key) != before.get(key)}
    return Case(name, changed, filled, f"seed {seed}: {'; '.join(done)}")


def problems(case: Case, bases: Mapping[str, Base], table: Path) -> Iterator[tuple[list[str], str]]:
    """Run the commands of a case on a table that is laid out; those that end wrongly, and why."""
    base = bases[case.base]
    files: Files = {**base.files}
    for name, content in case.changed.items():
        files.pop(name, None)
        if content is not None:
            files[name] = content
    shutil.rmtree(table, ignore_errors=True)
    write(files, base.data, table)
    answers: list[State] | None = None
    for command in case.commands:
        words = [str(table) if word == "TABLE" else word for word in command]
        writes = "--yes" in words
        before = seen(table / LOG) if writes else {}
        try:
            result = run(*words)
        except AssertionError as error:
            yield list(command), str(error)
            continue
        if (problem := wrong_form(result, words)) is not None:
            yield list(command), problem
        elif writes:
            if problem := wrong_write(result, words, before, table / LOG):
                yield list(command), problem
            answers = None
        elif result.exit_code == 0 and is_answered(words):
            answers = states(read(table / LOG)) if answers is None else answers
            if found := differences(result.document, answers):
                yield list(command), f"not what the log says: {found}"[:2000]


def is_answered(words: Sequence[str]) -> bool:
    """Whether the oracle knows the answer to a command."""
    known = any(" ".join(words).startswith(f"{command} /") for command in ANSWERS)
    return known and words[-1] == "json" and not {"--at", "--physical"}.intersection(words)


def wrong_form(result: Result, words: Sequence[str]) -> str | None:
    """What is wrong with the exit code or the form of the output; None if nothing is."""
    lacks_spark = result.exit_code == 9 and any(code in result.stderr for code in NO_SPARK)
    if result.exit_code not in CODES and not lacks_spark:
        return f"exit {result.exit_code}: {result.stderr or result.stdout}"
    if "[OUT_OF_MEMORY]" in result.stderr:
        return result.stderr
    try:
        if words[-1] == "json":
            assert result.document["ok"] is ("error" not in result.document)
        elif words[-1] == "ndjson":
            for line in result.stdout.split("\n")[:-1]:
                json.loads(line)
        else:
            # A terminal obeys what is behind an escape; nothing from a table may have one. A pipe,
            # as stdout is here, gets an export byte by byte.
            is_export = words[:2] == ["schema", "export"]
            for_people = result.stderr if is_export else result.stdout + result.stderr
            assert "\x1b" not in for_people, "an escape reached the terminal"
            assert result.exit_code == 0 or result.stdout or result.stderr, "nothing was said"
    except (AssertionError, ValueError, KeyError) as error:
        return f"{type(error).__name__}: {error}; exit {result.exit_code}: {result.stdout[:200]}"
    return None


def seen(log: Path) -> dict[str, bytes]:
    """The content of all files below the folder of the log, and the names of everything else."""
    found = {}
    for path in sorted(log.rglob("*")):
        is_file = path.is_file() and not path.is_symlink()
        found[str(path.relative_to(log))] = path.read_bytes() if is_file else b""
    return found


def wrong_write(
    result: Result, words: Sequence[str], before: Mapping[str, bytes], log: Path
) -> str | None:
    """What is wrong with what a command did to the log; None if nothing is."""
    after = seen(log)
    lost = [name for name, data in before.items() if after.get(name) != data]
    new = sorted(set(after) - set(before))
    if words[0] in OF_FILES:
        return _wrong_files(words, before, after, lost)
    # What Hadoop keeps beside a commit is of no use to another one of the same name.
    lost = [name for name in lost if name not in {f".{other}.crc" for other in new}]
    # The hint leads readers to checkpoints, and no command that commits writes one.
    if lost:
        return f"changed: {lost}"
    commits = [name for name in new if name.endswith(".json")]
    others = [name for name in new if name not in commits and not name.endswith(".crc")]
    if others or len(commits) > 1:
        return f"new: {new}"
    if result.exit_code and new:
        return f"exit {result.exit_code}, and new: {new}"
    if not commits:
        return None
    was = [state for state in states(before) if state.has_files]
    now = [state for state in states(read(log)) if state.has_files]
    if not was or not now:
        return None
    version = int(commits[0][:20])
    if {state.version for state in now} != {version} or {s.version for s in was} != {version - 1}:
        return f"version {version} after {[state.version for state in was]}"
    kept = [sorted(path for path, _ in state.adds) for state in was]
    if not any(sorted(path for path, _ in state.adds) in kept for state in now):
        return f"other files: {commits[0]}"
    return None


def _wrong_files(
    words: Sequence[str],
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    lost: Sequence[str],
) -> str | None:
    """Nothing is gone but to another name, and the hint; what is a commit stays."""
    for name in lost:
        if name == "_last_checkpoint" or name.startswith("."):
            continue
        moved = [other for other in after if other.startswith(f"{name}.quarantined-")]
        if "--repair" not in words or not any(after[other] == before[name] for other in moved):
            return f"changed: {name}"
    commits = [n for n in set(after) - set(before) if re.fullmatch(r"\d{20}\.json", n)]
    if commits and words[0] == "checkpoint":
        return f"new: {commits}"
    left = [name for name in after if name.endswith(".tmp") and name not in before]
    return f"left: {left}" if left else None


def scratch() -> Path:
    """A folder in memory where there is one: commits wait for the disk."""
    memory = Path("/dev/shm")
    root = memory if os.access(memory, os.W_OK) else Path(os.environ.get("TMPDIR", "/tmp"))
    return root / f"deltactl-fuzz-{os.getpid()}"

"""The command line in this process, away from the settings of whoever runs the tests."""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import referencing

import deltactl
from deltactl.cli.app import main
from deltactl.cli.process import output
from deltactl.explanations import explanations

SCHEMAS = Path(deltactl.__file__).parent / "cli" / "schemas"
GOLDEN = Path(__file__).parent.parent / "golden"
COLORS = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")
# 2026-01-02T03:00:00Z, when version 0 of a golden table was committed; a minute goes to each.
FIRST_COMMIT = 1767322800


@dataclass(frozen=True, slots=True)
class Result:
    exit_code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> dict[str, Any]:
        assert self.stdout.count("\n") == 1, "one document is one line, off a terminal"
        found = json.loads(self.stdout)
        assert isinstance(found, dict)
        return found


Run = Callable[..., Result]
Golden = Callable[[str], str]
Valid = Callable[[str, str], dict[str, Any]]


@pytest.fixture(scope="session")
def _users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that are not there yet; pytest would look at all others to name one."""
    folder = tmp_path_factory.mktemp("users")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, _users: Iterator[Path]) -> None:
    for name in [*os.environ]:
        if name.startswith(("DELTACTL_", "_DELTACTL_")) or name in (*COLORS, "COLUMNS"):
            monkeypatch.delenv(name)
    user = next(_users)
    monkeypatch.setenv("HOME", str(user / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(user / "home" / ".config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(user / "home" / ".cache"))
    (user / "work").mkdir(parents=True)
    monkeypatch.chdir(user / "work")


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run `deltactl ARGS` in this process."""

    def run(*args: str) -> Result:
        capsysbinary.readouterr()
        exit_code = main(args)
        out, err = capsysbinary.readouterr()
        result = Result(exit_code, out.decode(), err.decode())
        _check_exit_code(result)
        return result

    return run


def _check_exit_code(result: Result) -> None:
    """Check that a command with one error ends with an exit code of its explanation."""
    codes = set(re.findall(r"^error: .* \[([A-Z0-9_]+)\]$", result.stderr, re.MULTILINE))
    if len(codes) == 1 and result.exit_code:
        [code] = codes
        explained = explanations()[code]
        assert result.exit_code in (explained.exit, *explained.also), result.stderr


@pytest.fixture
def spark_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the check of what Spark needs; tests/spark has the real one."""
    monkeypatch.setattr("deltactl.cli.spark.spark_jobs.check_job", lambda *_, **__: None)


@pytest.fixture
def golden() -> Golden:
    """Copy a golden table to the folder of this test, and return its path as to be typed.

    The files of the log get times: version 0 its first, each other one a minute more.
    """

    def copy(name: str) -> str:
        shutil.copytree(GOLDEN / name / "delta", name)
        for file in Path(name, "_delta_log").rglob("*"):
            version = int(file.name[:20]) if file.name[:20].isdecimal() else 0
            os.utime(file, (FIRST_COMMIT + 60 * version,) * 2)
        return name

    return copy


@pytest.fixture
def on_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Return the lines that a terminal of 80 columns shows, without colours."""

    def shown(*args: str) -> list[str]:
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", "80")
            patch.setattr(output, "is_terminal", lambda stream: stream is sys.stdout)
            return [line.rstrip() for line in run(*args).stdout.splitlines()]

    return shown


@pytest.fixture(scope="session")
def valid_document() -> Valid:
    """Return the document on `stdout`, once it fits the JSON Schema of `command`."""

    schemas = {file.name: json.loads(file.read_text("utf-8")) for file in SCHEMAS.glob("*.json")}
    resources = ((name, referencing.Resource.from_contents(s)) for name, s in schemas.items())
    registry: referencing.Registry[Any] = referencing.Registry().with_resources(resources)
    validators = {
        name.removesuffix(".json"): jsonschema.Draft202012Validator(schema, registry=registry)
        for name, schema in schemas.items()
    }

    def valid(command: str, stdout: str) -> dict[str, Any]:
        document = json.loads(stdout)
        assert isinstance(document, dict)
        has_result = document["ok"] or "plan" in document
        name = command.replace(" ", "-") if has_result else "_error"
        validators[name].validate(document)
        assert document["command"] == command
        return document

    return valid

import io
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click
import pytest
from in_a_shell import needs_dev_full, shell

from deltactl import __version__
from deltactl.cli import app, reference
from deltactl.cli.command_options import bare_command
from deltactl.cli.command_tree import Folder, command_name
from deltactl.cli.commands import _index
from deltactl.cli.render.blocks import Block, Lines, view
from deltactl.errors import BrokenLogError, Notice
from deltactl.report import Report, TableRef

REPOSITORY = Path(__file__).parent.parent.parent
SCHEMAS = REPOSITORY / "deltactl" / "cli" / "schemas"


@dataclass(frozen=True)
class ProbeReport(Report):
    """A report of what a test gives it."""

    command: ClassVar[str] = "probe"
    streamed: ClassVar[str | None] = "rows"
    rows: tuple[Any, ...] = ()
    failure: Exception | None = None
    table: TableRef | None = None
    warnings: tuple[Notice, ...] = ()
    exit_code: int = 0

    def body(self) -> Mapping[str, Any]:
        return {"version": 3}

    def elements(self) -> Iterator[Any]:
        yield from self.rows
        if self.failure:
            raise self.failure


@view.register
def _(report: ProbeReport) -> Iterable[Block]:
    yield Lines(str(row) for row in report.elements())


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A command that shows the report in "report", or raises what is in "raises"."""
    does: dict[str, Any] = {"report": ProbeReport()}

    @bare_command
    def command(session: Any) -> None:
        """Probe."""
        if "raises" in does:
            raise does["raises"]
        session.show(does["report"])

    found = Folder.get_command

    def get_command(self: Folder, ctx: click.Context, name: str) -> click.Command | None:
        command.name = "probe"
        return command if name == "probe" else found(self, ctx, name)

    monkeypatch.setattr(Folder, "get_command", get_command)
    return does


def test_version(run) -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"deltactl {__version__}\n", "")


def test_help_groups_the_commands_and_names_variables(run) -> None:
    shown = run("--help").stdout
    titles = re.findall(r"^([A-Z].*):$", shown, re.MULTILINE)
    assert [t for t in titles if t in app.SECTIONS] == [
        s for s in app.SECTIONS if s in _index.SECTIONS.values()
    ]
    assert "Other" not in titles
    for text in ("DELTACTL_OUTPUT", "DELTACTL_PROFILE", "DELTACTL_STORAGE_OPTION_KEY"):
        assert text in shown
    assert "deltactl help exit-codes" in shown


@pytest.mark.parametrize(
    ("args", "seconds", "unwanted"),
    [("--version", 0.1, "json"), ("--help", 0.15, "json"), ("explain", 0.2, "rich")],
)
def test_starting_is_quick(args: str, seconds: float, unwanted: str) -> None:
    code = (
        "import sys; from deltactl.cli.app import main; main([sys.argv[1]]);"
        "print(*sys.modules, file=sys.stderr)"
    )
    taken = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        child = subprocess.run(
            [sys.executable, "-c", code, args],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    loaded = set(child.stderr.split())
    assert not {unwanted, "rich", "pyarrow", "pyspark", "obstore", "sqlglot"} & loaded
    assert min(taken) <= seconds


def test_no_command(run, valid_document) -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: deltactl ")
    document = valid_document("", run("-o", "json").stdout)
    assert document["error"]["message"] == "missing command"


@pytest.mark.parametrize(
    ("args", "command", "message", "hint"),
    [
        (["explian"], "", "no such command explian", "did you mean deltactl explain?"),
        (["zzz"], "", "no such command zzz", "see deltactl --help"),
        (["_index"], "", "no such command _index", "see deltactl --help"),
        (
            ["config", "shw"],
            "config",
            "no such command config shw",
            "did you mean deltactl config show?",
        ),
        (
            ["explain", "--outptu"],
            "explain",
            "no such option --outptu",
            "did you mean --output?",
        ),
        (["explain", "--zzz"], "explain", "no such option --zzz", "see deltactl explain --help"),
        (
            ["config", "show", "x"],
            "config show",
            "got unexpected extra argument (x)",
            "see deltactl config show --help",
        ),
        (
            ["completion", "csh"],
            "completion",
            "invalid value for '{bash|zsh|fish}': 'csh' is not one of 'bash', 'zsh', 'fish'",
            "see deltactl completion --help",
        ),
        (
            ["explain", "--timeout", "x"],
            "explain",
            "invalid value for '--timeout': 'x' is not a time such as 30s, 2m or 1h",
            "see deltactl explain --help",
        ),
    ],
)
def test_wrong_usage(run, valid_document, args, command, message, hint) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [f"error: {message} [USAGE]", f"hint: {hint}"]
    for spelled in (["-o", "json"], ["-ojson"], ["--output=json"]):
        document = valid_document(command, run(*spelled, *args).stdout)
        assert document["error"]["message"] == message
        assert document["error"]["exit"] == 2
    line = run("-o", "ndjson", *args).stdout
    assert line.startswith('{"error":{"code":"USAGE",')
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "exit_code", "first"),
    [
        (KeyboardInterrupt(), 130, "error: interrupted [INTERRUPTED]"),
        (click.Abort(), 130, "error: interrupted [INTERRUPTED]"),
        (KeyError("x"), 1, "error: a bug in deltactl: KeyError: 'x' [BUG]"),
        (
            RecursionError("..."),
            5,
            "error: the input is nested more deeply than can be read [NESTED_TOO_DEEPLY]",
        ),
        (MemoryError(), 8, "error: there is not enough memory to do this [OUT_OF_MEMORY]"),
        (
            PermissionError(13, "Permission denied", "/x"),
            8,
            "error: /x: Permission denied [IO_FAILED]",
        ),
        (
            BrokenLogError("LOG_TRUNCATED", "no\x1b[31mred"),
            5,
            r"error: no\x1b[31mred [LOG_TRUNCATED]",
        ),
    ],
)
def test_failures(run, valid_document, probe, error, exit_code, first) -> None:
    probe["raises"] = error
    result = run("probe")
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert result.stderr.splitlines()[0] == first
    assert "Traceback" not in result.stderr
    assert "Traceback" in run("probe", "-v").stderr
    assert "Traceback" not in run("probe", "--", "-v").stderr
    result = run("probe", "-o", "json")
    assert result.exit_code == exit_code
    assert valid_document("probe", result.stdout)["error"]["exit"] == exit_code


def test_a_streamed_document(run, probe) -> None:
    rows = ({"a": 1}, b"", b'{"a":2}\n{"a":3}\n', {"a": "é"})
    probe["report"] = ProbeReport(
        rows=rows, warnings=(Notice("ODD", "odd"),), exit_code=5, table=TableRef("/t", "id")
    )
    result = run("probe", "-o", "json")
    assert (result.exit_code, result.stderr) == (5, "")
    assert result.stdout == (
        '{"deltactl":1,"ok":true,"command":"probe","table":{"uri":"/t","id":"id","name":null},'
        '"version":3,"rows":[{"a":1},\n{"a":2},\n{"a":3},\n{"a":"é"}],'
        '"warnings":[{"code":"ODD","message":"odd"}]}\n'
    )
    result = run("probe", "-o", "ndjson")
    assert result.stdout == '{"a":1}\n{"a":2}\n{"a":3}\n{"a":"é"}\n'
    assert result.stderr == "warning: odd [ODD]\n"
    assert run("probe", "-o", "ndjson", "-q").stderr == ""
    assert run("probe").stdout == "{'a': 1}\nb''\nb'{\"a\":2}\\n{\"a\":3}\\n'\n{'a': 'é'}\n"


def test_an_empty_streamed_document(run, probe) -> None:
    assert run("probe", "-o", "json").stdout.endswith('"version":3,"rows":[],"warnings":[]}\n')
    assert run("probe", "-o", "ndjson").stdout == ""


def test_a_failure_within_a_stream(run, valid_document, probe) -> None:
    failure = BrokenLogError("LOG_TRUNCATED", "gone")
    probe["report"] = ProbeReport(rows=({"a": 1},), failure=failure)
    document = valid_document("probe", run("probe", "-o", "json").stdout)
    assert document["error"]["code"] == "LOG_TRUNCATED"
    lines = run("probe", "-o", "ndjson").stdout.splitlines()
    assert lines[0] == '{"a":1}'
    assert lines[1].startswith('{"error":{"code":"LOG_TRUNCATED","message":"gone"')


def test_text_that_utf8_cannot_hold(run, probe) -> None:
    probe["report"] = ProbeReport(rows=({"a": "é\ud800"},))
    assert run("probe", "-o", "ndjson").stdout == '{"a":"\\u00e9\\ud800"}\n'
    assert run("probe").exit_code == 0


def test_numbers_that_json_does_not_have(run, probe) -> None:
    rows = ({"a": [float("nan"), float("inf"), -float("inf"), 1.5]},)
    probe["report"] = ProbeReport(rows=rows)
    assert run("probe", "-o", "ndjson").stdout == '{"a":["NaN","Infinity","-Infinity",1.5]}\n'


def test_a_terminal_that_knows_ascii_only(probe, monkeypatch: pytest.MonkeyPatch) -> None:
    probe["report"] = ProbeReport(rows=("├─ é → ü",))
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert app.main(["probe"]) == 0
    assert stream.buffer.getvalue() == b"|- \\xe9 -> \\xfc\n"  # type: ignore[attr-defined]


def test_no_stdout_at_all(probe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert app.main(["probe"]) == 0
    assert app.main(["probe", "-o", "json"]) == 0


@pytest.mark.parametrize("args", ["explain", "explain -o json", "--help", "completion bash"])
def test_a_closed_pipe_is_quiet(args: str) -> None:
    done = shell(f"deltactl {args} | true; echo ${{PIPESTATUS[0]}}")
    assert done.stdout in ("141\n", "0\n"), "0 where the pipe took all before it closed"
    assert done.stderr == ""
    held = shell(f"(sleep 0.3; deltactl {args}; echo $? >&2) | exec 0<&-")
    assert held.stderr == "141\n"


@needs_dev_full
@pytest.mark.parametrize("args", ["explain", "explain -o json", "--version", "zzz -o json"])
def test_a_full_disk_is_told(args: str) -> None:
    done = shell(f"deltactl {args} >/dev/full")
    assert done.returncode == 8
    assert "No space left on device [OUTPUT_FAILED]\n" in done.stderr
    assert "Exception" not in done.stderr


def test_no_stderr_at_all() -> None:
    assert shell("deltactl zzz 2>&-").returncode == 2


def test_each_command_has_an_example_and_a_schema() -> None:
    contexts = list(reference.contexts())
    assert len(contexts) > 40
    for ctx in contexts:
        name = command_name(ctx)
        assert ctx.command.help, name
        if isinstance(ctx.command, Folder):
            continue
        assert re.search(rf"\n +deltactl {name} ", ctx.get_help()), f"{name} has no example"
        assert (SCHEMAS / f"{name.replace(' ', '-')}.json").exists(), name


def test_lines_of_help_are_whole() -> None:
    assert len(_index.SUMMARIES) > 10
    for name, summary in _index.SUMMARIES.items():
        assert summary.endswith("."), name
        assert not summary.endswith("..."), name


def kinds_of(report: type[Report]) -> Iterator[type[Report]]:
    """Yield the kinds that have no kinds of their own."""
    below = report.__subclasses__()
    if not below:
        yield report
    for kind in below:
        yield from kinds_of(kind)


def test_each_report_has_a_view() -> None:
    list(reference.contexts())  # imports every command, and with it every report and view
    reports = list(kinds_of(Report))
    assert len(reports) > 20
    for report in reports:
        assert view.dispatch(report) is not view.dispatch(object), report.__name__


def test_generated_files_are_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert reference.main(["--check"]) == 0, capsys.readouterr().out
    assert reference.main(["--chekc"]) == 2


def test_a_file_that_is_not_current_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reference, "PROJECT", tmp_path)
    monkeypatch.setattr(reference, "PACKAGE", tmp_path / "cli")
    assert reference.main(["--check"]) == 5
    shown = capsys.readouterr().out
    assert "+++ README.md (generated)\n" in shown
    assert "+++ completions/deltactl.zsh (generated)\n" in shown

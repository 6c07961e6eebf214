"""`explain`: explain the code of an error or a warning."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from deltactl.cli.command_options import bare_command, completing
from deltactl.cli.render.blocks import (
    Block,
    Column,
    Fields,
    Grid,
    Heading,
    Label,
    Lines,
    Prose,
    Span,
    view,
)
from deltactl.cli.session import Session
from deltactl.errors import EXIT_CODES, NotFoundError
from deltactl.explanations import Explanation, explanations
from deltactl.report import Report
from deltactl.text.suggestions import nearest

SECTION = "Set up"


@dataclass(frozen=True)
class ExplainReport(Report):
    """One code, those that end with one exit code, or all of them."""

    explanations: Mapping[str, Explanation]
    is_list: bool
    exit_code_asked: int | None = None

    def body(self) -> Mapping[str, Any]:
        """Return the explanations as a list."""
        return {"explanations": list(self.elements())}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        """Yield each code with all that is known of it."""
        for code, explanation in self.explanations.items():
            yield {
                "code": code,
                "exit": explanation.exit,
                "also": list(explanation.also),
                "subject": explanation.subject,
                "next": explanation.next,
                "summary": explanation.summary,
                "text": explanation.text,
            }


@view.register
def _(report: ExplainReport) -> Iterable[Block]:
    asked = report.exit_code_asked
    if asked is not None:
        yield Lines([[Span(f"Exit {asked}", "name"), f": {EXIT_CODES[asked]}"]])
        if not report.explanations:
            yield Lines(["No error has this exit code."])
            return
    if report.is_list:
        yield from _list(report.explanations)
        more = "" if asked is not None else "; deltactl explain 5 lists the codes of exit code 5"
        yield Lines([Span(f"deltactl explain CODE tells more{more}", "dim")])
        return
    for code, explanation in report.explanations.items():
        yield Heading([Span(code, "name"), f": {explanation.summary}"])
        yield Prose(explanation.text)
        exits = [("Exit", words) for words in _exits_in_words(explanation)]
        yield Fields([*exits, ("Next", explanation.next)])


def _list(found: Mapping[str, Explanation]) -> Iterator[Block]:
    """Yield the codes, each below its subject."""
    subjects: dict[str, list[Sequence[Label]]] = {}
    for code, explanation in found.items():
        row: list[Label] = [Span(f"  {code}", "name"), _exit(explanation), explanation.summary]
        subjects.setdefault(explanation.subject, []).append(row)
    for subject in sorted(subjects):
        yield Heading(subject)
        columns = [Column("", fold=False), Column("", fold=False), Column("")]
        yield Grid(columns, subjects[subject])


def _exit(explanation: Explanation) -> str:
    warning = ["warning"] if explanation.exit is None else []
    exits = " or ".join(map(str, explanation.exits))
    return ", ".join([*warning, *([f"exit {exits}"] if exits else [])])


def _exits_in_words(explanation: Explanation) -> list[str]:
    warning = ["none: a warning"] if explanation.exit is None else []
    return warning + [f"{code}: {EXIT_CODES[code]}" for code in explanation.exits]


@bare_command
@click.argument("code", required=False, metavar="[CODE|EXIT]", shell_complete=completing("codes"))
def command(session: Session, code: str | None) -> None:
    """Explain the error or warning CODE, and what to do about it.

    With an exit code, it lists the errors that cause it. Without an argument, it lists every code.

    \b
        deltactl explain LOG_TRUNCATED
        deltactl explain 5
    """
    known = explanations()
    if code is None:
        session.show(ExplainReport(known, is_list=True))
    elif code.isdecimal():
        session.show(_of_exit_code(known, code))
    else:
        name = code.strip("[]").upper().replace("-", "_")
        if name not in known:
            near = nearest(name, known, limit=1)
            hint = f"did you mean {near[0]}?" if near else "deltactl explain lists all codes"
            raise NotFoundError("CODE_UNKNOWN", f"no code {code!r}", hint=hint)
        session.show(ExplainReport({name: known[name]}, is_list=False))


def _of_exit_code(known: Mapping[str, Explanation], text: str) -> ExplainReport:
    number = int(text) if len(text) < 4 else -1
    if number not in EXIT_CODES:
        message = f"deltactl has no exit code {text[:40]}"
        hint = "deltactl help exit-codes lists them"
        raise NotFoundError("CODE_UNKNOWN", message, hint=hint)
    ending = {code: found for code, found in known.items() if number in found.exits}
    return ExplainReport(ending, is_list=True, exit_code_asked=number)

"""`explain`: what a code means, why it comes, and what to do."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import click

from deltactl.cli.command_options import bare_command, completing
from deltactl.cli.render.blocks import Block, Column, Fields, Grid, Heading, Lines, Span, view
from deltactl.cli.session import Session
from deltactl.errors import EXIT_CODES, NotFoundError
from deltactl.explanations import Explanation, explanations
from deltactl.report import Report
from deltactl.text.suggestions import nearest

SECTION = "Set up"


@dataclass(frozen=True)
class ExplainReport(Report):
    """One code, or all of them."""

    explanations: Mapping[str, Explanation]
    whole: bool

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
                "summary": explanation.summary,
                "text": explanation.text,
            }


@view.register
def _(report: ExplainReport) -> Iterable[Block]:
    if report.whole:
        yield Grid(
            [Column("CODE", fold=False), Column("EXIT", "right", fold=False), Column("MEANING")],
            (
                [Span(code, "name"), _exit(explanation), explanation.summary]
                for code, explanation in report.explanations.items()
            ),
        )
        return
    for code, explanation in report.explanations.items():
        yield Heading([Span(code, "name"), f": {explanation.summary}"])
        yield Lines(explanation.text.splitlines())
        yield Fields([("Exit", words) for words in _exits_in_words(explanation)])


def _exit(explanation: Explanation) -> str:
    first = "-" if explanation.exit is None else explanation.exit
    return ", ".join(map(str, (first, *explanation.also)))


def _exits_in_words(explanation: Explanation) -> list[str]:
    exits = [*([] if explanation.exit is None else [explanation.exit]), *explanation.also]
    warning = ["none: a warning"] if explanation.exit is None else []
    return warning + [f"{code}: {EXIT_CODES[code]}" for code in exits]


@bare_command
@click.argument("code", required=False, metavar="[CODE]", shell_complete=completing("codes"))
def command(session: Session, code: str | None) -> None:
    """Explain the CODE of an error or a warning, and what to do about it.

    Without CODE, list every code with its exit code.

    \b
        deltactl explain LOG_TRUNCATED
    """
    known = explanations()
    if code is None:
        session.show(ExplainReport(known, whole=True))
        return
    name = code.strip("[]").upper().replace("-", "_")
    if name not in known:
        near = nearest(name, known, limit=1)
        hint = f"did you mean {near[0]}?" if near else "deltactl explain lists all codes"
        raise NotFoundError("CODE_UNKNOWN", f"no code {code!r}", hint=hint)
    session.show(ExplainReport({name: known[name]}, whole=False))

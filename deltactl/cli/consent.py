"""Consent to a change: the question at a terminal, and the refusal in a script."""

import sys
import termios

import click

from deltactl.changes.plan import ChangePlan
from deltactl.cli.render.consent_reasons import consent_reasons
from deltactl.cli.render.plan import PreviewReport
from deltactl.cli.session import Session
from deltactl.errors import InterruptedRunError, RefusedError


class Consent:
    """Asks before a change that somebody has to agree to."""

    def __init__(self, session: Session, *, given: bool) -> None:
        self._session = session
        self._given = given
        self.preview: PreviewReport | None = None

    def ask(self, plan: ChangePlan) -> RefusedError | None:
        """Return None if the change may be made, otherwise why not: no terminal, or no consent.

        Raises:
            InterruptedRunError: the question was answered with Ctrl-C, or with an end of input.
        """
        text = self._session.settings.output == "text"
        reasons = consent_reasons(plan)
        if self._given or not reasons:
            # What takes a while is shown before it is done.
            if plan.takes_spark and text and not self._session.settings.quiet:
                self.preview = PreviewReport(plan, warnings=plan.warnings)
                self._session.show(self.preview, is_last=False)
            return None
        if not can_ask(self._session):
            return RefusedError(
                "CONSENT_NEEDED",
                f"the change {', and '.join(reasons)}, and needs confirmation; nothing was written",
                hint=f"to agree: {self._session.invocation.again('--yes')}",
            )
        self.preview = PreviewReport(plan, warnings=plan.warnings)
        self._session.show(self.preview, is_last=False)
        try:
            agreed = says_yes("Make this change?")
        except click.Abort:
            sys.stderr.write("\n")
            raise InterruptedRunError("INTERRUPTED", "interrupted; nothing was written") from None
        return None if agreed else RefusedError("NOT_AGREED", "not agreed to; nothing was written")


def can_ask(session: Session) -> bool:
    """Return whether there is somebody to ask: a terminal, and no document on stdout."""
    text = session.settings.output == "text"
    return text and all(stream and stream.isatty() for stream in (sys.stdin, sys.stderr))


def says_yes(question: str) -> bool:
    """Ask until the answer is one; none at all is no.

    Raises:
        click.Abort: Ctrl-C, or the end of the input.
    """
    _discard_typed_keys()
    while True:
        answer = click.prompt(f"{question} [y/N]", default="", show_default=False, err=True)
        if answer.strip().casefold() in ("y", "yes"):
            return True
        if answer.strip().casefold() in ("", "n", "no"):
            return False
        click.echo("answer y or n", err=True)


def _discard_typed_keys() -> None:
    """Throw away keys pressed before the question was there: they cannot be its answer."""
    try:
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    except (OSError, ValueError, termios.error):
        return  # No terminal: a test's input, or one that is closed.

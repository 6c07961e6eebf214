"""The command line as a function, whose answer is a document."""

import contextlib
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from deltactl.cli.app import main


class Said(NamedTuple):
    """What a command said: its exit code, and its document."""

    exit_code: int
    document: dict[str, Any]

    @property
    def committed(self) -> int | None:
        """The version that it says to have committed."""
        version = self.document["version"] if self.document.get("committed") else None
        assert version is None or type(version) is int
        return version

    @property
    def error(self) -> Mapping[str, Any]:
        found = self.document.get("error") or {}
        assert isinstance(found, dict)
        return found


def say(arguments: Sequence[str]) -> Said:
    """Run `deltactl ARGUMENTS`, whose output is JSON, in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        exit_code = main(arguments)
    out.flush()
    text = out.buffer.getvalue()  # type: ignore[attr-defined]
    assert text, f"no document, and on stderr: {err.getvalue()}"
    return Said(exit_code, json.loads(text))

"""JSON for scripts: one document in an envelope, or one element a line."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from deltactl.errors import DeltactlError, Notice
from deltactl.report import Report, TableRef

FORMAT = 1  # the number in `"deltactl": 1`; it changes when documents change incompatibly


def document(report: Report, command: str, *, indent: int | None = None) -> Iterator[bytes]:
    """Yield the one document that holds `report`, in pieces; only a short one is indented."""
    error = report.error
    head = {**_envelope(command, report.table, ok=error is None), **report.body()}
    if error is not None:
        head["error"] = _error(error)
    if report.streamed is None:
        yield line({**head, "warnings": _notices(report.warnings)}, indent=indent)
        return
    yield line(head).removesuffix(b"}\n") + f',"{report.streamed}":['.encode()
    separator = b""
    for piece in element_lines(report):
        yield separator + piece.removesuffix(b"\n").replace(b"\n", b",\n")
        separator = b",\n"
    # The last member, for what is odd about an element is known when it has been read.
    yield b'],"warnings":' + line(_notices(report.warnings)).removesuffix(b"\n") + b"}\n"


def has_elements(report: Report) -> bool:
    """Return whether `-o ndjson` gives `report` without an envelope, one element a line."""
    return report.elements() is not None


def element_lines(report: Report) -> Iterator[bytes]:
    """Yield the elements of `report` as JSON lines, one or many in a piece."""
    for element in report.elements() or ():
        if not isinstance(element, bytes):
            yield line(element)
        elif element:
            yield element


def failure(error: DeltactlError, command: str, *, indent: int | None = None) -> bytes:
    """Return the document of a command that failed."""
    members = {**_envelope(command, None, ok=False), "table": error.table, "error": _error(error)}
    return line(members, indent=indent, default=str)


def failure_line(error: DeltactlError) -> bytes:
    """Return the last line of `-o ndjson` if the command failed."""
    return line({"error": _error(error)}, default=str)


def line(value: Any, *, indent: int | None = None, default: Any = None) -> bytes:
    """Return `value` as JSON in UTF-8 and a line end.

    Text with half a surrogate pair, which UTF-8 cannot hold, makes all that is not ASCII escaped.
    """
    separators = (",", ":") if indent is None else (",", ": ")

    def encoded(data: Any, *, ascii_only: bool) -> bytes:
        return json.dumps(
            data,
            ensure_ascii=ascii_only,
            allow_nan=False,
            check_circular=False,
            separators=separators,
            indent=indent,
            default=default,
        ).encode()

    try:
        text = encoded(value, ascii_only=False)
    except UnicodeEncodeError:
        text = encoded(value, ascii_only=True)
    except ValueError:  # NaN and the infinities, which JSON does not have
        return line(_finite(value), indent=indent, default=default)
    return text + b"\n"


def _envelope(command: str, table: TableRef | None, *, ok: bool) -> dict[str, Any]:
    return {
        "deltactl": FORMAT,
        "ok": ok,
        "command": command,
        "table": table.to_json() if table else None,
    }


def _error(error: DeltactlError) -> dict[str, Any]:
    return {
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "details": error.details,
        "exit": error.exit_code,
    }


def _notices(notices: Iterable[Notice]) -> list[dict[str, str]]:
    return [{"code": notice.code, "message": notice.message} for notice in notices]


def _finite(value: Any) -> Any:
    """Return `value` with NaN and the infinities as the strings that Delta writes for them."""
    match value:
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case Mapping():
            return {key: _finite(member) for key, member in value.items()}
        case list() | tuple():
            return [_finite(member) for member in value]
        case _:
            return value

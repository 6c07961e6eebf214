"""Whether two forms of one action, as a commit and a checkpoint have it, say the same."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.text import strict_json

_NOTHING: tuple[Any, ...] = (None, {}, "")


def plain(body: Any) -> Any:
    """Return an action without what has no meaning: nulls, feature order, schema blanks."""
    if not isinstance(body, Mapping):
        return body
    kept = {key: value for key, value in body.items() if value not in _NOTHING}
    for key in ("readerFeatures", "writerFeatures"):
        if isinstance(value := kept.get(key), list):
            kept[key] = sorted(set(map(str, value)))
    if isinstance(form := kept.get("format"), dict):
        del kept["format"]
        if (provider := form.get("provider")) not in _NOTHING:
            kept["format"] = provider
    if isinstance(text := kept.get("schemaString"), str):
        kept["schemaString"] = _parsed(text)
    return kept


def plain_protocol(protocol: Protocol | None) -> Any:
    """Return the protocol as every checkpoint has it, to be compared with another one."""
    return None if protocol is None else plain(replace(protocol, unknown={}).to_json())


def plain_metadata(metadata: Metadata | None) -> Any:
    """Return the metadata as every checkpoint has it, to be compared with another one."""
    return None if metadata is None else plain(replace(metadata, unknown={}).to_json())


def _parsed(text: str) -> Any:
    try:
        return strict_json.loads(text)
    except (ValueError, RecursionError):
        return text  # What is not JSON is compared as it stands.

"""`protocol upgrade`: higher versions, for tables whose protocol lists no features."""

from deltactl.changes.draft import Draft, as_text
from deltactl.changes.plan import ChangePlan
from deltactl.operations.table_features.dormant_rules import refuse_dormant_rules
from deltactl.operations.table_features.enablement import DROPPED_HERE
from deltactl.spec.protocol.protocol import READER_FEATURES, WRITER_FEATURES, supported, upgraded
from deltactl.table.version_facts import protocol_json
from deltactl.text.hints import Command


def plan_protocol_upgrade(draft: Draft, reader: int | None, writer: int | None) -> ChangePlan:
    """Plan the versions; one that is None stays as it is."""
    now = draft.base.protocol
    with draft.refusing():
        draft.protocol = upgraded(
            now, reader or now.min_reader_version, writer or now.min_writer_version
        )
    if draft.protocol == now and (reader == READER_FEATURES or writer == WRITER_FEATURES):
        draft.warn(
            "NOTHING_TO_LIST",
            "versions 3 and 7 stand for features that are listed: a table gets them with its first "
            "such feature (deltactl protocol enable TABLE FEATURE)",
        )
    if draft.protocol != now:
        refuse_dormant_rules(draft)
        _warn_of_half(draft)
        _record_undo(draft)
    new = as_text(protocol_json(draft.protocol))
    return draft.plan("UPGRADE PROTOCOL", {"newProtocol": new})


def _record_undo(draft: Draft) -> None:
    new = sorted(draft.features - supported(draft.base.protocol))
    if not new or not DROPPED_HERE.issuperset(new):
        draft.undo_note("versions only go up")
        return
    for name in new:
        draft.undo_with(Command("protocol drop", name))


def _warn_of_half(draft: Draft) -> None:
    """Say where only one of the two versions is that of column mapping."""
    reader, writer = draft.protocol.min_reader_version, draft.protocol.min_writer_version
    if (reader == 2) != (writer >= 5):
        draft.warn(
            "HALF_A_VERSION",
            "column mapping needs reader version 2 and writer version 5: with "
            f"{reader} and {writer} the table does not have it",
        )

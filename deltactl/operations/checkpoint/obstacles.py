"""What stands against a checkpoint: kinds that a table must not have, and what one would hide."""

from collections.abc import Iterable, Mapping

from deltactl.changes.draft import Draft
from deltactl.errors import BrokenLogError, Notice
from deltactl.log.filenames import LOG, CheckpointKind, LogFileKind, kind_of
from deltactl.log.replay import FileKey, Replay
from deltactl.log.segment import Checkpoint, Segment
from deltactl.spec.actions.action import Metadata
from deltactl.spec.keys import (
    CHECKPOINT_PROTECTION_FEATURE,
    PROTECTED_BEFORE_VERSION,
    V2_CHECKPOINT_FEATURE,
)
from deltactl.spec.protocol import features
from deltactl.spec.protocol.protocol import supported
from deltactl.table.commit.log_files import hinted, names_taken
from deltactl.table.snapshot import Snapshot
from deltactl.text.hints import Command


def refuse_forbidden(draft: Draft, kind: CheckpointKind, parts: int | None) -> None:
    """Refuse a kind that the table must not have, or that others alone may write."""
    version, has_v2 = draft.base.version, V2_CHECKPOINT_FEATURE in draft.features
    if kind is CheckpointKind.MULTIPART and has_v2:
        draft.refuse(
            "MULTIPART_FORBIDDEN",
            f"a table with the feature {V2_CHECKPOINT_FEATURE} must not have multi-part "
            "checkpoints",
            _instead(draft, CheckpointKind.V2, parts),
        )
    if kind is CheckpointKind.V2 and not has_v2:
        # What is enabled now is not in an older version.
        other = CheckpointKind.MULTIPART if (parts or 1) > 1 else CheckpointKind.CLASSIC
        draft.refuse(
            "V2_CHECKPOINT_UNSUPPORTED",
            f"a V2 checkpoint needs the feature {V2_CHECKPOINT_FEATURE}, which the protocol does "
            "not have",
            Command("protocol enable", V2_CHECKPOINT_FEATURE)
            if version == draft.newest.version
            else _instead(draft, other, parts),
        )
    if kind is CheckpointKind.CLASSIC and parts is not None and parts > 1:
        draft.refuse(
            "CLASSIC_HAS_ONE_PART",
            f"a classic checkpoint is one file, and cannot have {parts} parts",
            _instead(
                draft,
                CheckpointKind.V2 if has_v2 else CheckpointKind.MULTIPART,
                parts,
            ),
        )
    newest = draft.newest
    bound = newest.configuration.get(PROTECTED_BEFORE_VERSION, "")
    is_protected = CHECKPOINT_PROTECTION_FEATURE in supported(newest.protocol) and bound.isdecimal()
    unknown = features.unwritable(draft.features)
    if is_protected and version < int(bound) and unknown:
        draft.refuse(
            "CHECKPOINT_PROTECTED",
            f"versions before {bound} are protected: none but a client that supports "
            f"{', '.join(unknown)} may write a checkpoint of version {version}",
        )


def refuse_taken(draft: Draft) -> None:
    """Refuse if a folder, or a dead link, has the name of a file to write or to look at."""
    snapshot, storage = draft.base, draft.base.log.storage
    for place in names_taken(storage) if storage.has_folders else ():
        kind, version = kind_of(place.name)
        is_hint = kind is LogFileKind.LAST_CHECKPOINT and may_lead(snapshot, snapshot.version)
        if is_hint or (kind is LogFileKind.CHECKPOINT and version == snapshot.version):
            draft.refuse(
                place.code,
                f"{LOG}/{place.name} is {place}, where a file of that name belongs",
                f"move {LOG}/{place.name} out of the log",
            )


def refuse_torn(notices: Iterable[Notice]) -> None:
    """Raise BrokenLogError for a commit whose actions are lost: they would be lost for good."""
    for notice in notices:
        if notice.code == "COMMIT_EMPTY":
            raise _hiding(notice)


def refuse_format(metadata: Metadata) -> None:
    """Raise BrokenLogError for a format of data files that no column of a checkpoint holds."""
    provider, options = metadata.format.get("provider"), metadata.format.get("options")
    is_right = options is None or isinstance(options, Mapping)
    texts = (provider, *(options.values() if isinstance(options, Mapping) else ()))
    if not is_right or not all(text is None or isinstance(text, str) for text in texts):
        said = "metaData: format has a member that is neither text nor an object of texts"
        raise _hiding(Notice("ACTION_MALFORMED", said))


def refuse_faults(faults: Mapping[FileKey, Notice]) -> None:
    """Raise BrokenLogError for a file that no rule says how to write down."""
    for notice in faults.values():
        raise _hiding(notice)


def refuse_faulty(snapshot: Snapshot, without: frozenset[Checkpoint]) -> None:
    """Raise BrokenLogError for what writing the checkpoint would come upon in commits.

    No file is kept in mind, so that no log is too long for it.
    """
    log = snapshot.log

    def read(segment: Segment) -> Replay:
        replay = Replay(keep_stats=False, keep_faults=True)
        for entry in segment.entries:
            name = entry.file.name
            if entry.is_compacted:
                text = b"".join(block for _, block in log.blocks(entry.file))
                replay.apply_compacted(text, name)
            else:
                for first, block in log.blocks(entry.file):
                    replay.apply(block, name, first)
            replay.files.clear()
        return replay

    version = snapshot.version
    target = None if log.newest_listed() == version else version
    replay, _, notices = log.resolve(target, read, without)
    refuse_torn(notices)
    refuse_faults(replay.faults)


def may_lead(snapshot: Snapshot, version: int) -> bool:
    """Return whether `_last_checkpoint` may name the version: there is no later checkpoint."""
    later = [c for c in snapshot.log.listing().checkpoints if c.version > version and c.is_complete]
    held = hinted(snapshot.log.storage)
    return not later and (held is None or held.version <= version)


def at_option(draft: Draft) -> tuple[str, ...]:
    """Return the words of the option with which a command means the draft's version."""
    version = draft.base.version
    return () if version == draft.newest.version else ("--at", str(version))


def _instead(draft: Draft, kind: CheckpointKind, parts: int | None) -> Command:
    """Return the command for a checkpoint of another kind, with equal parts and version."""
    is_one = parts is None or kind is CheckpointKind.CLASSIC
    number = () if is_one else ("--parts", str(parts))
    return Command("checkpoint", "--kind", kind.value, *number, *at_option(draft))


def _hiding(notice: Notice) -> BrokenLogError:
    return BrokenLogError(
        notice.code,
        f"{notice.message}; a checkpoint would hide it",
        hint=Command("verify-checksum", "--all")
        + " tells of everything that is wrong with the log",
    )

"""Compacted files: each must say what the commits that it stands for say together."""

from collections.abc import Iterator, Mapping

from deltactl.errors import BrokenLogError
from deltactl.findings import Finding, shown
from deltactl.log.commit import commit_lines
from deltactl.log.replay import Replay
from deltactl.log.segment import Listing, ReplayFile
from deltactl.spec.actions.file_action import AddFile
from deltactl.table.log import TableLog
from deltactl.verify.files.live_totals import facts_of
from deltactl.verify.log.notices import finding_from_notice

_NOTHING = object()
_HEADS = ("protocol", "metaData")


def check(log: TableLog, listing: Listing, entry: ReplayFile) -> Iterator[Finding]:
    """Replay the commits below the compacted file, and compare; none if one of them is gone."""
    files = [listing.commits.get(version) for version in range(entry.first, entry.last + 1)]
    name = entry.file.name
    compacted, own = Replay(), {}
    try:
        text = b"".join(block for _, block in log.blocks(entry.file))
        compacted.apply_compacted(text, name)
        for kind in _HEADS:
            found = commit_lines.search(text, kind, name)
            own[kind] = found[0].body if found else None
    except BrokenLogError as error:
        yield finding_from_notice(error, name)._replace(
            code="COMPACTION_UNREADABLE", repairable=True
        )
        return
    if None in files:
        return
    replay, heads = Replay(), dict.fromkeys(_HEADS)
    try:
        for file in files:
            assert file is not None
            for first, block in log.blocks(file):
                replay.apply(block, file.name, first)
                for kind in _HEADS:
                    found = commit_lines.search(block, kind, file.name, first)
                    heads[kind] = found[-1].body if found else heads[kind]
    except BrokenLogError:
        return  # The commit itself is told of.
    for what, expected, held in _sides(replay, compacted, heads, own):
        if expected != held:
            both = shown(expected), shown(held)
            yield Finding("COMPACTION_WRONG", f"{name}: {what}", *both, repairable=True)


def _sides(
    replay: Replay, compacted: Replay, heads: Mapping[str, object], own: Mapping[str, object]
) -> Iterator[tuple[str, object, object]]:
    for kind in _HEADS:
        yield kind, heads[kind], own[kind]
    for app_id in sorted(replay.transactions.keys() | compacted.transactions.keys()):
        txns = [side.transactions.get(app_id) for side in (replay, compacted)]
        yield f"txn {app_id}", txns[0] and txns[0].version, txns[1] and txns[1].version
    for domain in sorted(replay.domains.keys() | compacted.domains.keys()):
        found = [side.domains.get(domain) for side in (replay, compacted)]
        words = [None if one is None else one.configuration for one in found]
        yield f"domain {domain}", words[0], words[1]
    for key in sorted(replay.files.keys() | compacted.files.keys(), key=str):
        one, other = replay.files.get(key, _NOTHING), compacted.files.get(key, _NOTHING)
        if _plain(one) != _plain(other):
            yield f"{key[0]}", _word(one), _word(other, like=one)
            return  # One file stands for all: a lying file may lie about a million.


def _plain(action: object) -> object:
    # Statistics may be rewritten.
    return facts_of(action)._replace(statistics=0) if isinstance(action, AddFile) else action


def _word(action: object, like: object = None) -> str:
    if action is _NOTHING:
        return "no action"
    if action is None:
        return "a remove"
    return "another add" if isinstance(like, AddFile) else "an add"

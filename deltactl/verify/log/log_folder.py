"""What lies in the log's folder beside the versions: names, the hint, Hadoop's side files."""

from collections.abc import Callable, Collection, Iterator, Mapping

from deltactl.errors import Notice
from deltactl.findings import Finding
from deltactl.log.filenames import LAST_CHECKPOINT, LOG, SIDECARS, LogFile
from deltactl.log.segment import Checkpoint, Listing
from deltactl.table.commit.log_files import names_taken
from deltactl.table.log import TableLog
from deltactl.verify.checkpoint import hint
from deltactl.verify.findings import Findings
from deltactl.verify.log import side_file
from deltactl.verify.log.notices import finding_from_notice
from deltactl.verify.log.state import Content


def check_names(log: TableLog, findings: Findings) -> None:
    """Note names that some engines read as commits, names without a version, and empty files."""
    check, listing = findings.check("names"), log.listing()
    taken = names_taken(log.storage)
    numbers = map(len, (listing.commits, listing.checksums, listing.strays, taken))
    check.subjects = sum(numbers)
    findings.add("names", _names(listing))
    found = (Finding(place.code, place.name, "a file", str(place)) for place in taken)
    findings.add("names", found)


def check_hint(log: TableLog, contents: Mapping[Checkpoint, Content], findings: Findings) -> None:
    """Check `_last_checkpoint`, and what it says about the checkpoint that it names.

    `contents` is what each checkpoint holds that was read.
    """
    check = findings.check(LAST_CHECKPOINT)
    try:
        text = log.storage.read(f"{LOG}/{LAST_CHECKPOINT}")
    except FileNotFoundError:
        check.skipped = "not found"
        return
    check.subjects = 1
    read = hint.read(text)
    if isinstance(read, Finding):
        findings.add(LAST_CHECKPOINT, [read])
        return
    check.detail = hint.rule(read)
    checkpoints, doubted = log.listing().checkpoints, log.listing().above_commits()
    findings.add(LAST_CHECKPOINT, hint.place(read, checkpoints, doubted))
    meant = hint.checkpoints_meant(read, checkpoints)
    if not contents.keys() >= set(meant):
        return  # It may refer to the one that could not be read.
    found = []
    for checkpoint in meant:
        content = contents[checkpoint]
        named = hint.HintedCheckpoint(
            checkpoint,
            content.size,
            content.rows,
            content.totals.files,
            content.columns,
            content.sidecars,
        )
        found.append(list(hint.content(text, named)))
    best: list[Finding] = min(found, key=len, default=[])
    findings.add(LAST_CHECKPOINT, best)


def check_side_files(
    log: TableLog,
    names: Collection[str] | None,
    findings: Findings,
    advance: Callable[[int], None],
) -> None:
    """Check Hadoop's side files of these log files (None: all); Spark fails on stale ones."""
    check = findings.check("side files")
    for folder in (LOG, f"{LOG}/{SIDECARS}"):
        files = log.storage.list_from(folder)
        here = {file.name: file for file in files}
        for side in files:
            name = side_file.described(side.name)
            if name is None or name not in here:
                continue
            if names is not None and folder == LOG and name not in {*names, LAST_CHECKPOINT}:
                continue
            check.subjects += 1
            findings.add("side files", _side(log, folder, side, here[name]))
            advance(1)
    if not check.subjects:
        check.skipped = "not found"


def _side(log: TableLog, folder: str, side: LogFile, file: LogFile) -> Iterator[Finding]:
    path = f"{folder}/{file.name}"
    sums = log.storage.read(f"{folder}/{side.name}")
    shown = f"{folder}/{side.name}".removeprefix(f"{LOG}/")
    return side_file.check(
        shown, sums, file.size, lambda start, length: log.storage.read(path, start, length)
    )


def _names(listing: Listing) -> Iterator[Finding]:
    newest = -1 if listing.newest is None else listing.newest
    for version, file in listing.checksums.items():
        if version > newest:
            expected = f"no version above {newest}"
            yield Finding("CHECKSUM_WITHOUT_VERSION", file.name, expected, f"one of {version}")
    for name in listing.strays:
        message = "a name that some engines take for a commit"
        yield finding_from_notice(Notice("NAME_NOT_CANONICAL", message), name)
    for version, file in listing.commits.items():
        if not file.size:
            yield Finding(
                "COMMIT_EMPTY", file.name, "at least one action", "no bytes",
                since_version=version,
            )  # fmt: skip

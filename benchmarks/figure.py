"""What the scripts of the figures share: cases, their targets, and the table that is printed."""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measure import REPOSITORY, Command, Usage, measure, run
from benchmarks.tables import Tables

HEADER = (
    "| figure | deltactl CPU s | MiB | deltalake CPU s | MiB | ratio | target | met |\n"
    "|---|---:|---:|---:|---:|---:|---|---|"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row of a figure: a command of deltactl, and what is asked of it."""

    name: str
    ours: Command
    peer: Command | None = None
    fact: Callable[[Path], object] | None = None
    """Reads from our output what the peer prints; the two must be equal."""
    max_cpu: float | None = None
    max_mib: float | None = None
    min_mib_ratio: float | None = None
    """How many times our memory the peer must take."""
    min_ratio: float | None = None
    grows_from: str | None = None
    max_growth: float | None = None
    """How many times the CPU of the case `grows_from` this one may take."""
    max_mib_growth: float | None = None
    """How many times its memory."""
    columns: int | None = None
    """How many columns the table has."""
    more_than: tuple[str, str] | None = None
    """Cases of the same command on fewer and on the fewest columns."""
    max_a_column: float | None = None
    """The factor by which the CPU of one more column may grow above those two."""
    parts: Sequence[Command] = ()
    max_of_parts: float | None = None
    """How many times the CPU of all `parts`, one after the other, this one may take."""
    min_wall_ratio: float | None = None
    """How many times our wall time the peer must take."""
    is_timed_inside: bool = False
    """Both print `{"seconds": ..., "answer": ...}`: their wall time is that of the job alone."""
    afterwards: Mapping[Command, Callable[[], None]] = field(default_factory=dict)
    """What undoes the change that a run of a command makes."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line of every figure says."""

    tables: Tables
    rounds: int
    largest: int
    spark: bool


def main(description: str | None, cases: Callable[[Options], Iterable[Case]]) -> None:
    """Measure `cases`, print them as a markdown table, and exit 1 if a target is missed."""
    said = options(description)
    chosen = list(cases(said))
    commands = [command for case in chosen for command in _commands(case)]
    afterwards = {command: undo for case in chosen for command, undo in case.afterwards.items()}
    timed_inside = {c for case in chosen if case.is_timed_inside for c in _commands(case)}
    usages = measure(commands, said.rounds, afterwards, timed_inside)
    print(HEADER)
    missed = False
    for case in chosen:
        by_name = {other.name: usages[other.ours] for other in chosen}
        verdicts = [*_verdicts(case, by_name, usages), *_a_column(case, chosen, by_name)]
        missed |= not all(met for _, met in verdicts)
        print(_row(case, usages, verdicts))
    for case in chosen:  # last, because reading outputs takes memory: see measure.py
        _check_fact(case)
    sys.exit(1 if missed else 0)


def _commands(case: Case) -> list[Command]:
    return [command for command in (case.ours, case.peer, *case.parts) if command is not None]


def _verdicts(
    case: Case, by_name: dict[str, Usage], usages: dict[Command, Usage]
) -> Sequence[tuple[str, bool]]:
    """Return each target in words, and whether it is met."""
    ours = usages[case.ours]
    verdicts = []
    if case.max_cpu is not None:
        verdicts.append((f"≤ {case.max_cpu} s", ours.cpu_seconds <= case.max_cpu))
    if case.min_ratio is not None and case.peer is not None:
        ratio = usages[case.peer].cpu_seconds / ours.cpu_seconds
        verdicts.append((f"≥ {case.min_ratio}x less", ratio >= case.min_ratio))
    if case.min_wall_ratio is not None and case.peer is not None:
        ratio = usages[case.peer].wall_seconds / ours.wall_seconds
        words = f"{ratio:.3g}x ≥ {case.min_wall_ratio}x less wall time"
        verdicts.append((words, ratio >= case.min_wall_ratio))
    if case.max_of_parts is not None:
        parts = [usages[part].cpu_seconds for part in case.parts]
        ratio = ours.cpu_seconds / sum(parts)
        sums = " + ".join(f"{seconds:.2f}" for seconds in parts)
        words = f"{ratio:.2f}x of {sums} s ≤ {case.max_of_parts}x"
        verdicts.append((words, ratio <= case.max_of_parts))
    if case.max_mib is not None:
        verdicts.append((f"≤ {case.max_mib} MiB", ours.mib <= case.max_mib))
    if case.min_mib_ratio is not None and case.peer is not None:
        ratio = usages[case.peer].mib / ours.mib
        words = f"{ratio:.1f}x ≥ {case.min_mib_ratio}x less memory"
        verdicts.append((words, ratio >= case.min_mib_ratio))
    if case.grows_from is not None and case.max_growth is not None:
        growth = ours.cpu_seconds / by_name[case.grows_from].cpu_seconds
        verdicts.append((f"grows {growth:.2f}x ≤ {case.max_growth}x", growth <= case.max_growth))
    if case.grows_from is not None and case.max_mib_growth is not None:
        growth = ours.mib / by_name[case.grows_from].mib
        words = f"memory grows {growth:.2f}x ≤ {case.max_mib_growth}x"
        verdicts.append((words, growth <= case.max_mib_growth))
    return verdicts


def _a_column(
    case: Case, chosen: Sequence[Case], by_name: dict[str, Usage]
) -> Iterator[tuple[str, bool]]:
    """Yield what a column more takes, and whether it takes no more than among fewer columns.

    Differences of two tables leave out what a process takes for any number.
    """
    if case.more_than is None or case.max_a_column is None:
        return
    of = {other.name: other.columns or 0 for other in chosen}
    points = [(of[name], by_name[name].cpu_seconds) for name in (case.name, *case.more_than)]
    (many, most), (some, more), (few, least) = points
    above, below = (most - more) / (many - some), (more - least) / (some - few)
    ratio = above / below
    words = f"{above * 1e6:.0f} µs a column, {ratio:.2f}x ≤ {case.max_a_column}x"
    yield words, ratio <= case.max_a_column


def _row(case: Case, usages: dict[Command, Usage], verdicts: Sequence[tuple[str, bool]]) -> str:
    ours = usages[case.ours]
    cells = [case.name, f"{ours.cpu_seconds:.3f}", f"{ours.mib:.0f}", "", "", ""]
    if case.peer is not None and case.min_ratio is not None:  # a JVM's CPU is not seen
        peer = usages[case.peer]
        ratio = peer.cpu_seconds / ours.cpu_seconds
        cells[3:] = [f"{peer.cpu_seconds:.2f}", f"{peer.mib:.0f}", f"{ratio:.1f}x"]
    met = ", ".join("yes" if met else "**no**" for _, met in verdicts)
    return f"| {' | '.join([*cells, '; '.join(words for words, _ in verdicts), met])} |"


def _check_fact(case: Case) -> None:
    """End this program if our output and the peer's do not say the same."""
    if case.fact is None or case.peer is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        ours, peer = Path(folder) / "ours", Path(folder) / "peer"
        for command, path in ((case.ours, ours), (case.peer, peer)):
            with path.open("wb") as output:
                run(command, output)
        theirs = case.fact(peer) if case.is_timed_inside else json.loads(peer.read_bytes())
        if case.fact(ours) != theirs:
            sys.exit(f"{case.name}: the outputs of deltactl and of deltalake disagree")


def options(description: str | None) -> Options:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="counted runs (default 5)")
    parser.add_argument(
        "--data",
        type=Path,
        default=REPOSITORY / "benchmarks" / "data",
        help="where the generated tables are kept (default benchmarks/data)",
    )
    parser.add_argument(
        "--largest",
        type=int,
        default=5_000_000,
        metavar="FILES",
        help="leave out larger tables (default 5000000)",
    )
    parser.add_argument(
        "--unpartitioned",
        action="store_true",
        help="tables without partitions, which engines open in about half the time",
    )
    parser.add_argument(
        "--spark", action="store_true", help="also checkpoints that Spark writes ([spark], Java)"
    )
    parser.add_argument("--jars", help="for --spark: delta-spark and delta-storage, by a comma")
    chosen = parser.parse_args()
    tables = Tables(chosen.data.resolve(), not chosen.unpartitioned, chosen.jars)
    return Options(tables, chosen.rounds, chosen.largest, chosen.spark)

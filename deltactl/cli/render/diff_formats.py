"""A diff for other programs: a unified diff (`-o patch`), and Markdown for a review."""

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence

from deltactl.cli.render.blocks import Label
from deltactl.cli.render.column_lines import DiffLine, DiffView, column_lines
from deltactl.cli.render.differences import setting_rows, summary
from deltactl.cli.render.visible import plain, visible, width
from deltactl.cli.render.words import mapping_switched
from deltactl.operations.inspect.diff import DiffReport, SchemaDiffReport, Side
from deltactl.spec.keys import (
    CHAR_VARCHAR,
    COLUMN_MAPPING_MAX_ID,
    COLUMN_MAPPING_PREFIX,
    CONSTRAINT_PREFIX,
    IDENTITY_HIGH_WATER_MARK,
    TYPE_CHANGES,
)
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.change_words import setting_words, type_words
from deltactl.spec.schema.diff import ChangeKind, SchemaChange
from deltactl.spec.schema.schema import Node, Path, walk
from deltactl.spec.schema.type_changes import changes_of
from deltactl.spec.schema.types import kind, short_name
from deltactl.table.differences import Differences

# What GitHub colours in a block of the language `diff`; `~` is not among them.
_MARKS = {"+": "+", "-": "-", "~": "!", "!": "!"}


def patch(found: DiffReport, names: tuple[str, str], shown: DiffView) -> Iterator[str]:
    """Yield a unified diff of both states, one fact a line."""
    ids = _identified(found.differences)
    before, after = (list(_facts(side, found, ids)) for side in (found.before, found.after))
    around = 1_000_000 if shown.context is None else max(shown.context, 1)
    matcher = _Matcher(before, after)
    for place, group in enumerate(matcher.get_grouped_opcodes(around)):
        if not place:
            yield f"--- {visible(names[0])}\n+++ {visible(names[1])}\n"
        (_, a, _, b, _), (_, _, a_end, _, b_end) = group[0], group[-1]
        yield f"@@ -{_range(a, a_end)} +{_range(b, b_end)} @@\n"
        for tag, a, a_end, b, b_end in group:
            if tag == "equal":
                yield from (f" {visible(line)}\n" for line in before[a:a_end])
                continue
            yield from (f"-{visible(line)}\n" for line in before[a:a_end])
            yield from (f"+{visible(line)}\n" for line in after[b:b_end])


class _Matcher(difflib.SequenceMatcher[str]):
    """Finds what is common in good time if columns changed here and there among thousands."""

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        super().__init__(None, before, after, autojunk=False)
        self._sides = before, after

    def get_matching_blocks(self) -> list[difflib.Match]:
        return [difflib.Match(*block) for block in _common(*self._sides)]


def _common(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the longest runs of lines that both have in the same order.

    The first of equal lines is paired with the first, and so on. The last run is empty, behind both
    ends, as `difflib` wants it.
    """
    old = {line: place for place, line in enumerate(_numbered(before))}
    places = [(old[line], place) for place, line in enumerate(_numbered(after)) if line in old]
    ends: list[int] = []
    lengths = []
    for was, _ in places:
        lengths.append(bisect_left(ends, was))
        ends[lengths[-1] : lengths[-1] + 1] = [was]
    kept, wanted, bound = [], len(ends) - 1, len(before)
    for (was, now), length in zip(reversed(places), reversed(lengths), strict=True):
        if length == wanted and was < bound:
            kept.append((was, now))
            wanted, bound = wanted - 1, was
    a = b = size = 0
    for was, now in reversed(kept):
        if (was, now) == (a + size, b + size):
            size += 1
            continue
        if size:
            yield a, b, size
        a, b, size = was, now, 1
    if size:
        yield a, b, size
    yield len(before), len(after), 0


def _numbered(lines: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield each line with how many like it stand above: a column may record a change twice."""
    seen: Counter[str] = Counter()
    for line in lines:
        yield line, seen[line]
        seen[line] += 1


def _range(start: int, end: int) -> str:
    """Return the lines as a hunk names them: from 1, and an empty range by the line before it."""
    size = end - start
    first = start + 1 if size else start
    return f"{first}" if size == 1 else f"{first},{size}"


def markdown(
    found: DiffReport, title: str, shown: DiffView, readers: Label | None
) -> Iterator[str]:
    """Yield the diff as a comment of a review shows it: a heading, a block, a list."""
    differences = found.differences
    yield f"### {_code(title)}\n\n"
    if not differences:
        yield f"{same_words(found)}\n"
        return
    if numbers := summary(differences):
        yield f"{numbers}\n\n"
    if switch := differences.mapping_switch:
        yield f"{mapping_switched(switch).capitalize()}.\n\n"
    lines = column_lines(differences.pairs, shown).lines
    if lines:
        yield "```diff\n"
        yield from (f"{line}\n" for line in _aligned(lines))
        yield "```\n\n"
    rows = [*setting_rows(differences, shown), *([("Readers", readers)] if readers else [])]
    for name, value in rows:
        # A row without a title continues the one above it.
        yield f"- **{name}** {_code(plain(value))}\n" if name else f"  {_code(plain(value))}\n"


def _aligned(lines: tuple[DiffLine, ...]) -> Iterator[str]:
    names = [visible(line.indented) for line in lines]
    types = [visible(line.type) for line in lines]
    wide = max(map(width, names)), max(map(width, types))
    for line, name, shape in zip(lines, names, types, strict=True):
        mark = _MARKS.get(line.mark, " ")
        if mark == " " and shape[:2] in ("+ ", "- ", "! "):
            mark = shape[0]
        cells = (
            f"{text}{' ' * (most - width(text))}"
            for text, most in zip((name, shape), wide, strict=True)
        )
        yield f"{mark} {'  '.join(cells)}  {visible(line.note)}".rstrip()


def same_words(found: DiffReport) -> str:
    """Return what to say if nothing differs."""
    is_schema = isinstance(found, SchemaDiffReport)
    return "The schemas are the same." if is_schema else "No differences; rows are not compared."


def _code(text: str) -> str:
    """Return the text as code, whatever backticks it has."""
    fence = "`"
    while fence in text:
        fence += "`"
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def _identified(found: Differences) -> frozenset[Path]:
    """Return the paths of columns that only their ids tell apart, or tell to be the same.

    These are renamed columns, columns whose id or name in files is another one, and new columns
    with the name of a dropped one. A switch of column mapping, which all columns take part in, is
    told by its property.
    """
    paths: set[Path] = set()
    dropped: set[Path] = set()
    added: set[Path] = set()
    stack = [] if found.mapping_switch else list(found.pairs)
    for pair in stack:
        stack.extend(pair.below)
        before, after = pair.before, pair.after
        if after is None:
            assert before is not None
            dropped.add(before.path)
        elif before is None:
            added.add(after.path)
        elif any(_is_of_identity(change) for change in pair.changes):
            paths |= {before.path, after.path}
    return frozenset(paths | (dropped & added))


def _is_of_identity(change: SchemaChange) -> bool:
    if change.kind is ChangeKind.METADATA:
        keys = {*change.before, *change.after}
        return any(key.startswith(COLUMN_MAPPING_PREFIX) for key in keys)
    return change.kind is ChangeKind.RENAMED


def _facts(side: Side, found: DiffReport, identified: Container[Path]) -> Iterator[str]:
    """Yield what a state says, in an order that does not depend on how the log has it."""
    for node in walk(side.schema):
        yield from _of_column(node)
        number = column_mapping.column_id(node.field) if node.is_field else None
        if number is not None and node.path in identified:
            name = column_mapping.physical_name(node.field)
            yield f"column {node} id {number}, name in files '{name}'"
    if isinstance(found, SchemaDiffReport) or side.snapshot is None:
        return
    protocol, metadata = side.snapshot.protocol, side.snapshot.metadata
    yield f"protocol {protocol.min_reader_version}/{protocol.min_writer_version}"
    yield from (f"feature {name}" for name in sorted(supported(protocol)))
    constraints = []
    for key, value in sorted(metadata.configuration.items()):
        if key.startswith(CONSTRAINT_PREFIX):
            constraints.append(f"constraint {key.removeprefix(CONSTRAINT_PREFIX)}: {value}")
        elif key != COLUMN_MAPPING_MAX_ID:
            yield f"property {key} = {value}"
    yield from constraints
    if metadata.name is not None:
        yield f"name {metadata.name}"
    if metadata.description is not None:
        yield f"description {metadata.description}"
    if metadata.partition_columns:
        yield f"partitioned by {', '.join(metadata.partition_columns)}"
    for domain in found.differences.domains:
        value = domain.before if side is found.before else domain.after
        if value is not None:
            yield f"domain {domain.name} = {value}"


def _of_column(node: Node) -> Iterator[str]:
    end = "" if node.nullable or node.path[-1] == "key" else " not null"
    metadata: Mapping[str, object] = node.field.metadata if node.is_field else {}
    shape = metadata.get(CHAR_VARCHAR) or kind(node.type, short_name)
    yield f"column {node} {shape}{end}"
    for change in changes_of(node):
        steps = f"{type_words(change.from_type)} → {type_words(change.to_type)}"
        yield f"column {node} typeChanges {steps}"
    own = {key: value for key, value in metadata.items() if not _is_own(key)}
    yield from (f"column {node} {words}" for words in setting_words({}, own))


def _is_own(key: str) -> bool:
    shown = (TYPE_CHANGES, CHAR_VARCHAR)
    return key.startswith(COLUMN_MAPPING_PREFIX) or key in (*shown, IDENTITY_HIGH_WATER_MARK)

"""What is counted of the files, by the types in which they hold columns."""

from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from deltactl.errors import Notice
from deltactl.operations.prune.physical_type_scan import PhysicalTypeScan


def scan() -> PhysicalTypeScan:
    column: Any = SimpleNamespace(today="long")
    return PhysicalTypeScan(columns=[column], types=[{}], since={}, notices=())


def longs(*values: int | None) -> pa.Int64Array:
    return pa.array(values, pa.int64())


def test_only_the_first_faults_are_named_and_all_are_counted() -> None:
    found = scan()
    for number in range(25):
        found.note(f"part-{number}", 7, Notice("FILE_NOT_READ", f"part-{number}"))
    assert (found.files, found.unread) == (25, 25)
    assert [fault.message for fault in found.faults] == [f"part-{number}" for number in range(20)]


def test_files_are_counted_with_their_bytes_by_type() -> None:
    found = scan()
    for size, held in ((7, "integer"), (5, "long"), (3, "integer"), (2, None)):
        found.note(f"part-{size}", size, (held,))
    counted = {name: (t.files, t.size) for name, t in found.types[0].items()}
    assert counted == {"integer": (2, 10), "long": (1, 5), None: (1, 2)}
    assert (found.files, found.unread) == (4, 0)
    assert (found.old.files, found.old.size, found.sample) == (2, 10, ["part-7", "part-3"])


@pytest.mark.parametrize(
    ("batches", "version", "expected"),
    [
        ([longs(4, 3, 9)], 3, True),
        ([longs(4, 3, 9)], 4, False),
        ([longs(9), longs(3), longs(5)], 4, False),  # the oldest file of all batches counts
        ([longs(3), longs(9)], 3, True),
        ([longs(), longs(5)], 5, True),
        ([longs(5, None)], 1, False),  # a file without a version may be of any
        ([], 7, True),
        ([longs(9)], None, None),
    ],
)
def test_whether_the_draft_would_have_a_change_forgotten(
    batches: list[pa.Int64Array], version: int | None, expected: bool | None
) -> None:
    found = scan()
    for versions in batches:
        found.note_versions(versions)
    assert found.permits(version) is expected

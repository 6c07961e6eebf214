from pathlib import Path
from typing import Any

import pytest
from checkpoints import classic
from small_tables import (
    Action,
    Field,
    array,
    commit_info,
    field,
    mapped,
    metadata,
    protocol,
    struct,
    write_log,
)

from deltactl.table.state.type_change_versions import Sighting, TypeChangePlace, find_versions
from deltactl.table.table import open_table

WIDENING = protocol(reader=["typeWidening"])
MAPPED = protocol(reader=["typeWidening", "columnMapping"])
MODE = {"columnMapping.mode": "name", "columnMapping.maxColumnId": "2"}
A: TypeChangePlace = (("a",), 0)


def change(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"fromType": old, "toType": new, **more}


def widened(name: str, data_type: Any, *history: dict[str, Any]) -> Field:
    return field(name, data_type, **{"delta.typeChanges": list(history)})


def mapped_and_widened(name: str, number: int, physical: str, *history: dict[str, Any]) -> Field:
    return mapped(name, number, physical, "long", **{"delta.typeChanges": list(history)})


def table_metadata(*fields: Field, **configuration: str) -> Action:
    return metadata(*fields, enableTypeWidening="true", **configuration)


TO_LONG = change("integer", "long")
NARROW, WIDER = field("a", "integer"), widened("a", "long", TO_LONG)
PLAIN, WIDE = table_metadata(NARROW), table_metadata(WIDER)
MAPPING_ON = [MAPPED, table_metadata(mapped_and_widened("a", 1, "a", TO_LONG), **MODE)]
BYTE_TO_SHORT, SHORT_TO_INTEGER = change("byte", "short"), change("short", "integer")
LONG_A = mapped_and_widened("a", 1, "col-1", TO_LONG)
LONG_B = mapped_and_widened("b", 2, "col-2", TO_LONG)
INTEGER_B = mapped("b", 2, "col-2", "integer")

CASES: dict[str, tuple[list[list[Action]], dict[TypeChangePlace, Sighting]]] = {
    "widened": ([[WIDENING, PLAIN], [], [WIDE], []], {A: Sighting(2)}),
    "created so": ([[WIDENING, WIDE], []], {A: Sighting(0)}),
    "widened, then mapping turned on": (
        [
            [WIDENING, PLAIN],
            [],
            [WIDE],
            MAPPING_ON,
            [],
        ],
        {A: Sighting(2)},
    ),
    "mapping turned on, then renamed": (
        [
            [WIDENING, PLAIN],
            [WIDE],
            MAPPING_ON,
            [table_metadata(mapped_and_widened("b", 1, "a", TO_LONG), **MODE)],
        ],
        {(("b",), 0): Sighting(1)},
    ),
    "mapping dropped": (
        [
            [MAPPED, table_metadata(mapped("a", 1, "a", "integer"), **MODE)],
            [table_metadata(mapped_and_widened("a", 1, "a", TO_LONG), **MODE)],
            [],
            [WIDE],
        ],
        {A: Sighting(1)},
    ),
    # As Spark 4.2 with Delta 4.4 leaves them: no ids, no physical names, the type changes.
    "renamed, and mapping dropped": (
        [
            [MAPPED, table_metadata(mapped("old", 1, "col-1", "integer"), **MODE)],
            [table_metadata(mapped_and_widened("old", 1, "col-1", TO_LONG), **MODE)],
            [table_metadata(mapped_and_widened("a", 1, "col-1", TO_LONG), **MODE)],
            [],
            [WIDE],
            [],
        ],
        {A: Sighting(1)},
    ),
    "mapping dropped, and turned on again with the ids of others": (
        [
            [MAPPED, table_metadata(LONG_A, INTEGER_B, **MODE)],
            [table_metadata(LONG_A, LONG_B, **MODE)],
            [table_metadata(widened("b", "long", TO_LONG), WIDER)],
            [
                table_metadata(
                    mapped_and_widened("b", 1, "b", TO_LONG),
                    mapped_and_widened("a", 2, "a", TO_LONG),
                    **MODE,
                )
            ],
        ],
        {A: Sighting(0), (("b",), 0): Sighting(1)},
    ),
    "the first entry pruned": (
        [
            [WIDENING, table_metadata(field("a", "byte"))],
            [table_metadata(widened("a", "short", BYTE_TO_SHORT))],
            [table_metadata(widened("a", "integer", BYTE_TO_SHORT, SHORT_TO_INTEGER))],
            [],
            [table_metadata(widened("a", "integer", SHORT_TO_INTEGER))],
        ],
        {A: Sighting(2)},
    ),
    "widened twice": (
        [
            [WIDENING, table_metadata(field("a", "byte"))],
            [table_metadata(widened("a", "short", BYTE_TO_SHORT))],
            [table_metadata(widened("a", "integer", BYTE_TO_SHORT, SHORT_TO_INTEGER))],
        ],
        {A: Sighting(1), (("a",), 1): Sighting(2)},
    ),
    "overwritten in between": (
        [[WIDENING, PLAIN], [WIDE], [PLAIN], [], [WIDE]],
        {A: Sighting(4)},
    ),
    "its own word": (
        [
            [WIDENING, PLAIN],
            [],
            [table_metadata(widened("a", "long", change("integer", "long", tableVersion=1)))],
        ],
        {A: Sighting(1)},
    ),
    "inside an array": (
        [
            [WIDENING, table_metadata(field("a", array("integer")))],
            [table_metadata(widened("a", array("long"), {**TO_LONG, "fieldPath": "element"}))],
        ],
        {(("a", "element"), 0): Sighting(1)},
    ),
    "a sibling of the same name elsewhere": (
        [
            [WIDENING, table_metadata(NARROW, field("s", struct(NARROW)))],
            [table_metadata(WIDER, field("s", struct(NARROW)))],
            [table_metadata(WIDER, field("s", struct(WIDER)))],
        ],
        {A: Sighting(1), (("s", "a"), 0): Sighting(2)},
    ),
}


@pytest.mark.parametrize(("commits", "expected"), CASES.values(), ids=CASES)
def test_a_type_change_is_dated_by_the_commit_that_brought_it(
    commits: list[list[Action]], expected: dict[TypeChangePlace, Sighting], tmp_path: Path
) -> None:
    table = write_log(tmp_path, [[commit_info(), *actions] for actions in commits])
    assert find_versions(open_table(table).snapshot()) == expected


@pytest.mark.parametrize("above", [[[], []], [[], MAPPING_ON]], ids=["nothing", "mapping"])
def test_of_a_cleaned_log_it_is_known_before_which_version_it_came(
    above: list[list[Action]], tmp_path: Path
) -> None:
    commits = [[commit_info(), *actions] for actions in ([], *above)]
    table = write_log(tmp_path, commits, first=5, others=classic(5, [WIDENING, WIDE]))
    # It stood in the checkpoint of version 5, the oldest that is known of the table.
    assert find_versions(open_table(table).snapshot()) == {A: Sighting(None, 6)}


def test_of_a_cleaned_log_a_change_above_its_checkpoint_is_dated(tmp_path: Path) -> None:
    commits = [[commit_info()], [commit_info()], [commit_info(), WIDE], [commit_info()]]
    table = write_log(tmp_path, commits, first=5, others=classic(5, [WIDENING, PLAIN]))
    assert find_versions(open_table(table).snapshot()) == {A: Sighting(7)}

"""Rows 55 to 70: the table's metadata, odd actions, and commitInfo."""

from typing import Any

from malformed.case import THREE_FILES, Read, Rows, fails, silent, unreadable, warns, works
from malformed.table import (
    ID_COLUMN,
    METADATA,
    Table,
    add,
    commit,
    commit_info,
    line,
    schema,
)

rows = Rows()


@rows.row(55, *unreadable("SCHEMA_NOT_JSON", "schemaString"), readable="not by rule")
def schema_not_json(table: Table) -> None:
    table.metadata(schemaString="{nope")


@rows.row(
    55,
    warns("show", "SCHEMA_MISSING", "schemaString", schema=None, **THREE_FILES),
    fails("schema show", "SCHEMA_MISSING", "schemaString"),
    write="FAIL",
)
def schema_missing(table: Table) -> None:
    fields = {key: value for key, value in METADATA.items() if key != "schemaString"}
    table.commits[0][2] = line("metaData", fields)


@rows.row(56, *unreadable("PARTITION_COLUMN_NOT_IN_SCHEMA", "zzz"), readable="not by rule")
def partition_column_not_in_schema(table: Table) -> None:
    table.metadata(partitionColumns=["zzz"])


@rows.row(
    57,
    warns("show", "DUPLICATE_COLUMNS", "id", "ID", **THREE_FILES),
    fails("schema show", "DUPLICATE_COLUMNS", "id", "ID"),
)
def columns_that_differ_only_in_case(table: Table) -> None:
    table.metadata(schemaString=schema(ID_COLUMN, {**ID_COLUMN, "name": "ID"}))


@rows.row(
    58,
    warns(
        "show",
        "UNKNOWN_TYPE",
        "wibble",
        schema={"fields": [{"name": "id", "type": "wibble"}]},
        **THREE_FILES,
    ),
    fails("schema show", "UNKNOWN_TYPE", "wibble", "id"),
)
def unknown_type(table: Table) -> None:
    table.metadata(schemaString=schema({**ID_COLUMN, "type": "wibble"}))


@rows.row(59, warns("show", "UNKNOWN_ACTION", "fooBar", **THREE_FILES))
def unknown_action(table: Table) -> None:
    table.add_line(3, line("fooBar", {"x": 1}))


@rows.row(59, warns("show", "DRAFT_ACTION", "rowIdHighWaterMark", **THREE_FILES))
def draft_row_id_high_water_mark(table: Table) -> None:
    table.add_line(3, line("rowIdHighWaterMark", {"highWaterMark": 3, "preservedRowIds": False}))


@rows.row(60, silent("show", files={"count": 4}))
def unknown_field_in_add(table: Table) -> None:
    table.add_line(3, add("part-4.parquet", fooBar={"x": 1}))


@rows.row(61, works("show", **THREE_FILES), works("files"), verify="FAIL")
def duplicate_key_in_add(table: Table) -> None:
    table.commits[3][1] = table.commits[3][1].replace('"size":500', '"size":500,"size":900')


@rows.row(61, warns("show", "DUPLICATE_KEY", "id", **THREE_FILES), verify="FAIL")
def duplicate_key_in_metadata(table: Table) -> None:
    table.commits[0][2] = table.commits[0][2].replace('{"id":', '{"id":"other","id":', 1)


@rows.row(61, warns("show", "DUPLICATE_KEY", "minWriterVersion", **THREE_FILES), verify="FAIL")
def duplicate_key_in_protocol(table: Table) -> None:
    table.commits[0][1] = (
        '{"protocol":{"minReaderVersion":1,"minWriterVersion":3,"minWriterVersion":2}}'
    )


@rows.row(
    62,
    warns("show", "DUPLICATE_TXN", "app-1", transactions=[{"appId": "app-1", "version": 2}]),
    verify="FAIL",
)
def two_transactions_of_one_application(table: Table) -> None:
    for version in (1, 2):
        table.add_line(3, line("txn", {"appId": "app-1", "version": version}))


@rows.row(
    63, warns("show", "DOMAIN_WITHOUT_FEATURE", "domainMetadata", **THREE_FILES), verify="FAIL"
)
def domain_without_feature(table: Table) -> None:
    table.add_line(
        3, line("domainMetadata", {"domain": "app.x", "configuration": "{}", "removed": False})
    )


@rows.row(64, warns("show", "DRAFT_DOMAIN_CONFIGURATION", "app.x", **THREE_FILES))
def domain_configuration_as_an_object(table: Table) -> None:
    table.protocol(1, 7, writerFeatures=["domainMetadata"])
    fields = {"domain": "app.x", "configuration": {"a": "b"}, "removed": False}
    table.add_line(3, line("domainMetadata", fields))


def warns_of_property(name: str, feature: str) -> Read:
    """`show` says that the property asks for a feature that the protocol lacks."""
    return warns("show", "PROPERTY_WITHOUT_FEATURE", name, feature, **THREE_FILES)


@rows.row(65, warns_of_property("delta.enableDeletionVectors", "deletionVectors"), write="FAIL")
def deletion_vectors_enabled_without_feature(table: Table) -> None:
    table.metadata(configuration={"delta.enableDeletionVectors": "true"})


@rows.row(65, warns_of_property("delta.enableTypeWidening", "typeWidening"), write="FAIL")
def type_widening_enabled_without_feature(table: Table) -> None:
    table.metadata(configuration={"delta.enableTypeWidening": "true"})


@rows.row(65, warns_of_property("delta.enableTypeWidening", "typeWidening"), write="FAIL")
def type_widening_enabled_without_feature_on_a_feature_table(table: Table) -> None:
    table.protocol(3, 7, readerFeatures=[], writerFeatures=["appendOnly"])
    table.metadata(configuration={"delta.enableTypeWidening": "true"})


@rows.row(66, *unreadable("COLUMN_MAPPING_INCOMPLETE", "id"), readable="not by rule")
def column_mapping_without_ids(table: Table) -> None:
    table.metadata(configuration={"delta.columnMapping.mode": "name"})


@rows.row(66, *unreadable("COLUMN_MAPPING_INCOMPLETE", "id"), readable="not by rule")
def column_mapping_without_ids_on_a_table_that_supports_it(table: Table) -> None:
    table.protocol(2, 5)
    table.metadata(configuration={"delta.columnMapping.mode": "name"})


@rows.row(
    67,
    warns(
        "show",
        "BAD_PROPERTY_VALUE",
        "delta.checkpointInterval",
        "-5",
        properties={"delta.checkpointInterval": "-5"},
        **THREE_FILES,
    ),
    verify="WARN",
)
def bad_property_value(table: Table) -> None:
    table.metadata(configuration={"delta.checkpointInterval": "-5"})


@rows.row(
    67,
    warns(
        "show",
        "UNKNOWN_PROPERTY",
        "delta.noSuchThing",
        properties={"delta.noSuchThing": "1", "owner": "ours"},
        **THREE_FILES,
    ),
    verify="WARN",
)
def unknown_delta_property(table: Table) -> None:
    table.metadata(configuration={"delta.noSuchThing": "1", "owner": "ours"})


def put_in_commit_timestamps(table: Table, *seconds: int) -> None:
    """In-commit timestamps from version 0 on, one a version."""
    table.protocol(1, 7, writerFeatures=["inCommitTimestamp"])
    table.metadata(configuration={"delta.enableInCommitTimestamps": "true"})
    for version, second in enumerate(seconds):
        stamp = f'{{"commitInfo":{{"inCommitTimestamp":{1700000000000 + second * 1000},'
        table.commits[version][0] = table.commits[version][0].replace('{"commitInfo":{', stamp)


@rows.row(68, silent("show", **THREE_FILES), silent("history"), verify="OK")
def in_commit_timestamps_as_they_should_be(table: Table) -> None:
    put_in_commit_timestamps(table, 0, 1, 2, 3)


@rows.row(
    68,
    warns("show", "ICT_MISSING", commit(3), **THREE_FILES),
    warns("history", "ICT_MISSING", commit(3)),
    verify="FAIL",
    write="FAIL",
)
def in_commit_timestamp_missing(table: Table) -> None:
    put_in_commit_timestamps(table, 0, 1, 2)


@rows.row(
    68,
    warns("show", "ICT_MISSING", commit(3), **THREE_FILES),
    warns("history", "ICT_MISSING", commit(3)),
    verify="FAIL",
    write="FAIL",
)
def commit_info_missing_with_in_commit_timestamps(table: Table) -> None:
    put_in_commit_timestamps(table, 0, 1, 2, 3)
    del table.commits[3][0]


@rows.row(68, warns("history", "ICT_NOT_FIRST", commit(3)), verify="FAIL")
def in_commit_timestamp_not_on_the_first_line(table: Table) -> None:
    put_in_commit_timestamps(table, 0, 1, 2, 3)
    table.commits[3].reverse()


@rows.row(68, warns("history", "ICT_NOT_INCREASING", "3"), verify="FAIL")
def in_commit_timestamp_decreases(table: Table) -> None:
    put_in_commit_timestamps(table, 0, 1, 2, 1)


@rows.row(
    69,
    warns("show", "TYPE_CHANGES_WITHOUT_FEATURE", "id", "typeWidening", **THREE_FILES),
    warns("schema show", "TYPE_CHANGES_WITHOUT_FEATURE", "id"),
    write="FAIL",
)
def type_changes_without_feature(table: Table) -> None:
    changes = [{"fromType": "integer", "toType": "long"}]
    table.metadata(schemaString=schema({**ID_COLUMN, "metadata": {"delta.typeChanges": changes}}))


def row_70(field: str, value: object) -> None:
    """A case of row 70: a field of commitInfo with a type that breaks Spark."""

    def build(table: Table) -> None:
        table.commits[3][0] = commit_info(3, **{field: value})

    rows.row(
        70,
        works("show", **THREE_FILES),
        warns("history", "FIELD_WRONG_TYPE", field, commit(3)),
        name=f"commit_info_{field}_{type(value).__name__}",
        verify="FAIL",
    )(build)


row_70("readVersion", "0")
row_70("isBlindAppend", "false")
row_70("inCommitTimestamp", "5")
row_70("operationParameters", "x")
row_70("operationParameters", {"columns": ["a", "b"]})
row_70("operationMetrics", {"numFiles": {"added": 1}})
row_70("job", "x")
row_70("tags", "x")
row_70("userMetadata", {"by": "x"})
row_70("engineInfo", {"name": "x"})


@rows.row(70, warns("show", "FIELD_WRONG_TYPE", "createdTime", **THREE_FILES), verify="FAIL")
def created_time_as_text(table: Table) -> None:
    table.metadata(createdTime="1700000000000")


@rows.row(70, silent("show", **THREE_FILES), silent("history"), verify="OK")
def commit_info_in_forms_that_engines_accept(table: Table) -> None:
    accepted: dict[str, Any] = {
        "timestamp": "2023-11-14T22:13:23Z",
        "operationParameters": {"mode": None, "count": 3, "flag": True},
        "operationMetrics": {"numFiles": 1},
        "unknownField": {"x": [1]},
    }
    table.commits[3][0] = commit_info(3, **accepted)


CASES = tuple(rows.cases)

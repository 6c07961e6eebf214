"""Rows 14 to 28: what the protocol says, and how it contradicts itself."""

from malformed.case import THREE_FILES, Read, Rows, fails, silent, unreadable, warns
from malformed.table import Table, line

rows = Rows()


def warns_in_show_and_protocol(code: str, *names: str) -> tuple[Read, ...]:
    """The two commands that show the protocol say `code`; the table is read."""
    return (
        warns("show", code, *names, **THREE_FILES),
        warns("protocol show", code, *names),
    )


def unsupported(code: str, name: str, hint: str = "") -> tuple[Read, ...]:
    """The files are out of reach; the schema is shown from the raw log."""
    return (
        fails("show", code, name, exit_code=4, hint=hint),
        fails("files", code, name, exit_code=4, hint=hint),
        warns("schema show", "SNAPSHOT_UNREADABLE", name, version=3),
    )


@rows.row(14, *unsupported("UNSUPPORTED_READER_FEATURE", "fooBar"), readable="not by rule")
def unknown_reader_writer_feature(table: Table) -> None:
    table.protocol(3, 7, readerFeatures=["fooBar"], writerFeatures=["fooBar"])


@rows.row(15, *warns_in_show_and_protocol("UNSUPPORTED_WRITER_FEATURE", "fooBar"), write="FAIL")
def unknown_writer_feature(table: Table) -> None:
    table.protocol(1, 7, writerFeatures=["appendOnly", "fooBar"])


@rows.row(
    16,
    *warns_in_show_and_protocol("READER_FEATURE_NOT_IN_WRITER", "deletionVectors"),
    verify="FAIL",
    write="FAIL",
)
def reader_feature_not_in_writer_features(table: Table) -> None:
    table.protocol(3, 7, readerFeatures=["deletionVectors"], writerFeatures=["appendOnly"])


@rows.row(
    17,
    *warns_in_show_and_protocol("WRITER_FEATURE_NOT_IN_READER", "deletionVectors"),
    verify="FAIL",
    write="FAIL",
)
def reader_writer_feature_only_in_writer_features(table: Table) -> None:
    table.protocol(3, 7, readerFeatures=[], writerFeatures=["deletionVectors"])


@rows.row(18, *unreadable("FEATURES_ON_OLD_PROTOCOL", "readerFeatures"), readable="not by rule")
def reader_features_on_old_protocol(table: Table) -> None:
    table.protocol(1, 2, readerFeatures=["deletionVectors"], writerFeatures=["deletionVectors"])


@rows.row(18, *unreadable("FEATURES_ON_OLD_PROTOCOL", "writerFeatures"), readable="not by rule")
def writer_features_on_old_protocol(table: Table) -> None:
    table.protocol(1, 2, writerFeatures=["appendOnly"])


@rows.row(19, *unreadable("READER_3_NEEDS_WRITER_7", "minWriterVersion"), readable="not by rule")
def reader_3_with_writer_2(table: Table) -> None:
    table.protocol(3, 2, readerFeatures=["deletionVectors"])


@rows.row(20, *unreadable("FEATURE_LISTS_MISSING", "readerFeatures"), readable="not by rule")
def table_features_without_lists(table: Table) -> None:
    table.protocol(3, 7)


@rows.row(21, silent("show", **THREE_FILES), silent("protocol show"))
def column_mapping_at_reader_2_writer_7(table: Table) -> None:
    table.protocol(2, 7, writerFeatures=["columnMapping"])


@rows.row(22, *warns_in_show_and_protocol("READER_VERSION_TOO_LOW", "columnMapping"), write="FAIL")
def column_mapping_at_reader_1(table: Table) -> None:
    table.protocol(1, 7, writerFeatures=["columnMapping"])


@rows.row(
    23, *unreadable("PROTOCOL_VERSION_INVALID", "minReaderVersion", "-1"), readable="not by rule"
)
def negative_reader_version(table: Table) -> None:
    table.protocol(-1, 2)


@rows.row(
    23, *unreadable("PROTOCOL_VERSION_INVALID", "minReaderVersion", "0"), readable="not by rule"
)
def zero_versions(table: Table) -> None:
    table.protocol(0, 0)


@rows.row(24, *unsupported("UNSUPPORTED_PROTOCOL_VERSION", "99"), readable="not by rule")
def versions_of_the_future(table: Table) -> None:
    table.protocol(99, 99)


@rows.row(24, *warns_in_show_and_protocol("UNSUPPORTED_WRITER_VERSION", "99"), write="FAIL")
def writer_version_of_the_future(table: Table) -> None:
    table.protocol(1, 99)


@rows.row(
    25,
    *unreadable("DRAFT_PROTOCOL_KEYS", "readerVersion", hint="minReaderVersion"),
    readable="not by rule",
)
def draft_protocol_keys(table: Table) -> None:
    table.commits[0][1] = line("protocol", {"readerVersion": 1, "writerVersion": 2})


@rows.row(26, *warns_in_show_and_protocol("DRAFT_FEATURE_NAME", "rowIds"), write="FAIL")
def draft_feature_name(table: Table) -> None:
    table.protocol(1, 7, writerFeatures=["rowIds"])


@rows.row(
    27,
    *unsupported("UNSUPPORTED_READER_FEATURE", "DeletionVectors", hint="deletionVectors"),
    readable="not by rule",
)
def feature_in_the_wrong_case(table: Table) -> None:
    table.protocol(3, 7, readerFeatures=["DeletionVectors"], writerFeatures=["DeletionVectors"])


@rows.row(28, *warns_in_show_and_protocol("DUPLICATE_FEATURE", "deletionVectors"), verify="WARN")
def duplicate_feature_names(table: Table) -> None:
    names = ["deletionVectors", "deletionVectors"]
    table.protocol(3, 7, readerFeatures=names, writerFeatures=names)


CASES = tuple(rows.cases)

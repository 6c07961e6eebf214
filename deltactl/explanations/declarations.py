"""Codes on what a table declares: its protocol, schema and properties."""

from deltactl.explanations.entry import Explanation

DECLARATIONS = {
    "BAD_PROPERTY_VALUE": Explanation(
        None,
        "a table property has a value that engines do not accept",
        """\
The value is kept as it is. Engines fail on it, or fall back to the default.
The message names the property and says what it takes.""",
    ),
    "COLUMN_MAPPING_INCOMPLETE": Explanation(
        5,
        "column mapping is on, but a column lacks its id or physical name",
        """\
Without them nobody knows which column of the data files is meant.
A writer changed the schema without knowing column mapping.""",
    ),
    "DDL_INCOMPLETE": Explanation(
        None,
        "the exported statement leaves out something that the table has",
        """\
A CREATE TABLE statement cannot say it, or only the log's metadata domains know it.
The message names it: add it to the statement, or to the table that was created.""",
    ),
    "DRAFT_FEATURE_NAME": Explanation(
        4,
        "the protocol lists a feature by a name that only drafts had",
        """\
Released engines do not know the name and refuse the table, or refuse to write to it.
The message names the feature that was released instead.""",
        also=(5,),
    ),
    "DRAFT_PROTOCOL_KEYS": Explanation(
        5,
        "the protocol action has readerVersion and writerVersion, as only drafts had",
        """\
The released names are minReaderVersion and minWriterVersion, and no engine takes the others.
The log was written by hand or by a prototype.""",
    ),
    "DUPLICATE_COLUMNS": Explanation(
        5,
        "two columns differ only in the case of their letters, or not at all",
        """\
Names of columns match without regard to case, so neither can be meant for certain.
Commands on the schema refuse; others warn and show the schema as it is written.""",
    ),
    "DUPLICATE_FEATURE": Explanation(
        None,
        "the protocol lists a feature twice",
        """\
It means the same as once. A writer added the feature without looking.""",
        also=(5,),
    ),
    "FEATURES_ON_OLD_PROTOCOL": Explanation(
        5,
        "the protocol lists features, but its versions are too low for lists",
        """\
readerFeatures need minReaderVersion 3, and writerFeatures need minWriterVersion 7. Engines
would ignore the list, or refuse the table.""",
    ),
    "FEATURE_LISTS_MISSING": Explanation(
        5,
        "the protocol has the versions for features, but does not list them",
        """\
With minReaderVersion 3 readerFeatures must be there, with minWriterVersion 7 writerFeatures,
empty if need be. Without them nobody knows what the table demands.""",
    ),
    "NO_METADATA": Explanation(
        5,
        "the log has no metaData action",
        """\
It would hold the schema, so the table cannot be read. The first commit of a table must have it.
Most often the first commit was replaced or never came to its end.""",
    ),
    "NO_PROTOCOL": Explanation(
        5,
        "the log has no protocol action",
        """\
Without it nobody knows whether they may read the table. The first commit of a table must have it.
Most often the first commit was replaced or never came to its end.""",
    ),
    "PARTITION_COLUMN_NOT_IN_SCHEMA": Explanation(
        5,
        "the table is partitioned by a column that its schema does not have",
        """\
A writer dropped or renamed the column without changing partitionColumns.
The message names the column.""",
    ),
    "PROPERTY_WITHOUT_FEATURE": Explanation(
        4,
        "a property switches on a feature that the protocol does not list",
        """\
Engines ignore the property, or refuse to write. The property was set without the upgrade of the
protocol that belongs to it.""",
        also=(5,),
    ),
    "PROTOCOL_VERSION_INVALID": Explanation(
        5,
        "a version in the protocol is not a positive number",
        """\
Reader and writer versions start at 1. Some engines read such a table, others refuse it.
The message names the field.""",
    ),
    "READER_3_NEEDS_WRITER_7": Explanation(
        5,
        "the protocol has minReaderVersion 3 without minWriterVersion 7",
        """\
Features of readers must be listed for writers as well, which needs writer version 7.
The protocol was written by hand.""",
    ),
    "READER_FEATURE_NOT_IN_WRITER": Explanation(
        4,
        "a feature is listed for readers, but not for writers",
        """\
Whoever writes must read first, so the protocol wants it in both lists. Some engines refuse the
table.""",
        also=(5,),
    ),
    "READER_VERSION_TOO_LOW": Explanation(
        4,
        "the reader version is too low for a feature that readers must know",
        """\
Old readers open the table and may read it wrongly.
The message names the feature and the reader version that it needs.""",
        also=(5,),
    ),
    "SCHEMA_MALFORMED": Explanation(
        5,
        "the schema is JSON, but not a schema",
        """\
A field lacks its name or type, or the whole is not a struct. The message says where.""",
    ),
    "SCHEMA_MISSING": Explanation(
        5,
        "the metadata has no schema",
        """\
Some engines create a table that way before its columns are known. Commands on the schema refuse;
others warn.""",
    ),
    "SCHEMA_NOT_JSON": Explanation(
        5,
        "the schema is not JSON",
        """\
schemaString in the metaData action holds the schema as a JSON text. It was cut off or edited.""",
    ),
    "SCHEMA_TOO_DEEP": Explanation(
        5,
        "the schema is nested more deeply than can be read",
        """\
Hundreds of levels are fine. No engine writes as many as this: the log was made to do harm, or by
a program that went wrong.""",
    ),
    "TWO_METADATA": Explanation(
        4,
        "one commit has two metaData actions",
        """\
The protocol forbids it. The last one counts, as in Spark; other engines may take the first.""",
        also=(5,),
    ),
    "TWO_PROTOCOLS": Explanation(
        4,
        "one commit has two protocol actions",
        """\
The protocol forbids it. The last one counts, as in Spark; other engines may take the first.""",
        also=(5,),
    ),
    "TYPE_CHANGES_WITHOUT_FEATURE": Explanation(
        4,
        "columns record type changes, but the table lacks the feature typeWidening",
        """\
Readers that do not know the feature may fail on files with the older type.
The metadata was copied from another table, or the feature was dropped without its clean-up.""",
        also=(5,),
    ),
    "UNKNOWN_PROPERTY": Explanation(
        4,
        "deltactl does not know the delta.* property",
        """\
It may be misspelt (the message names what comes near), or newer than this version of deltactl.
One that the table has is kept as it is; a new one is stored only with --force, for Spark refuses
to set what it does not know.""",
    ),
    "UNKNOWN_TYPE": Explanation(
        5,
        "the schema has a type that deltactl does not know",
        """\
Commands on the schema refuse; others warn and show the schema as it is written.
The message names the type and the column.""",
    ),
    "UNSUPPORTED_PROTOCOL_VERSION": Explanation(
        4,
        "the table needs a reader version that does not exist yet",
        """\
The protocol goes up to reader version 3 and writer version 7. A newer deltactl may know it.
history, log and protocol show still work.""",
    ),
    "UNSUPPORTED_READER_FEATURE": Explanation(
        4,
        "the table needs a feature that deltactl cannot read",
        """\
What such a table holds cannot be told without the feature, so commands that need its state
refuse. history, log and protocol show still work. Names of features are exact: deletionVectors.""",
    ),
    "UNSUPPORTED_WRITER_FEATURE": Explanation(
        4,
        "the table has a feature that deltactl does not know how to write",
        """\
Reading is safe. Commands that change the table refuse, since they could break what the feature
promises.""",
    ),
    "UNSUPPORTED_WRITER_VERSION": Explanation(
        4,
        "the table needs a writer version that does not exist yet",
        """\
Reading is safe. Commands that change the table refuse.""",
    ),
    "WRITER_FEATURE_NOT_IN_READER": Explanation(
        4,
        "a feature that readers must know is listed for writers only",
        """\
Readers that do not know it open the table, and may read it wrongly. Some engines refuse the
table.""",
        also=(5,),
    ),
}

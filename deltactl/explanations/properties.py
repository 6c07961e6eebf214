"""Codes on properties, metadata domains and constraints."""

from deltactl.explanations.entry import Explanation

PROPERTIES = {
    "BAD_EXPRESSION": Explanation(
        4,
        "the expression is not a condition on one row",
        """\
A constraint is an SQL expression that is true or false of each row by itself: a comparison of
columns, joined by AND, OR and NOT. It can have neither subqueries nor aggregates.
deltactl reads Spark's SQL. What it cannot read, ALTER TABLE ... ADD CONSTRAINT in Spark may.""",
    ),
    "COLUMN_MAPPING_MODE": Explanation(
        4,
        "the column mapping of a table with files cannot take this mode",
        """\
Files that are there were written without field ids, so that nothing could be found in them by id;
and a table that is mapped by id stays so. Only none can become name.""",
        also=(5,),
    ),
    "COLUMN_MAPPING_STAYS": Explanation(
        4,
        "column mapping cannot be switched off by its property",
        """\
Files know the columns by physical names, which would be lost.
DROP FEATURE columnMapping in Spark rewrites every file with the names that columns have now.""",
    ),
    "CONSTRAINT_AS_PROPERTY": Explanation(
        4,
        "CHECK constraints are not set or unset as properties",
        """\
A constraint must hold for the rows that are there, so that it takes a command of its own, which
looks at them: deltactl constraint add. deltactl constraint drop takes it away.""",
    ),
    "CONSTRAINT_EXISTS": Explanation(
        4,
        "the table has a constraint of that name, which says something else",
        """\
Names of constraints are compared without regard to case. To change what one says, drop it and
add it again, or keep the old one with --if-not-exists.""",
    ),
    "CONSTRAINT_NAME_EMPTY": Explanation(
        4,
        "the name of a constraint cannot be empty",
        """\
The name is part of a property's name, delta.constraints.NAME.""",
    ),
    "CONSTRAINT_NOT_FOUND": Explanation(
        3,
        "the table has no CHECK constraint of that name",
        """\
deltactl constraint list TABLE names those that there are. With --if-exists it is not an error.""",
    ),
    "CONSTRAINT_NOT_RESOLVED": Explanation(
        None,
        "a constraint comes to an empty table without being evaluated",
        """\
There are no rows that could violate it. Its columns exist, and its operators and functions are
known to fit their types, but no engine has evaluated it: the first writer does.""",
    ),
    "DOMAIN_METADATA_NOT_SUPPORTED": Explanation(
        4,
        "the protocol of the table lacks the feature domainMetadata",
        """\
Engines keep domains only in tables that have it. --enable adds it in the same commit; clients
that do not know it can then no longer write to the table.""",
    ),
    "DOMAIN_NAME_EMPTY": Explanation(
        4,
        "the name of a domain cannot be empty",
        """\
A name such as billing.lineage tells the domains of several applications apart.""",
    ),
    "DOMAIN_NOT_FOUND": Explanation(
        3,
        "the table has no metadata domain of that name",
        """\
deltactl show TABLE names the domains. With --if-exists it is not an error.""",
    ),
    "DRAFT_PROPERTY": Explanation(
        4,
        "the property has a name that only a draft of the protocol used",
        """\
No engine reads it. The hint names the property that it became.""",
    ),
    "ICEBERG_STAYS": Explanation(
        4,
        "this version of IcebergCompat cannot be switched off",
        """\
Spark refuses to set icebergCompatV3's property to false and to unset it. Only RESTORE to a version
from before brings the table back to where it was.""",
    ),
    "NOT_IN_HUDI": Explanation(
        4,
        "a table whose Hudi metadata is kept cannot have this",
        """\
While delta.universalFormat.enabledFormats names hudi, Spark refuses every write of a table with
deletion vectors switched on, or with a column of type byte, short, timestamp_ntz or void.""",
    ),
    "ICEBERG_NEEDS_COMPAT": Explanation(
        4,
        "Iceberg metadata is kept only with a version of IcebergCompat",
        """\
It sees to it that columns and files are such that Iceberg can read them.""",
    ),
    "INTERNAL_PROPERTY": Explanation(
        4,
        "the property is kept by engines themselves",
        """\
Another value, or none, would have engines give out ids twice or not find what they wrote.
It goes with its table feature: deltactl protocol drop.""",
    ),
    "OLD_PROPERTY_NAME": Explanation(
        None,
        "the property has a newer name, which is set instead",
        """\
Some engines know only the newer name.""",
    ),
    "PROPERTY_NAMED_TWICE": Explanation(
        4,
        "one property was given two values in one command",
        """\
Letter case does not tell properties with delta. apart. Name each once.""",
    ),
    "PROPERTY_NOT_FOUND": Explanation(
        3,
        "the table does not have the property that is to be unset",
        """\
deltactl property list TABLE shows those that are set. With --if-exists it is not an error.""",
    ),
    "PROPERTY_OF_PROTOCOL": Explanation(
        4,
        "the protocol is not changed by way of properties",
        """\
Spark takes such a property as a request and never stores it. If it were stored, the table would be
upgraded by the next change that somebody makes in Spark, without anybody having asked for it.
The hint is the command that changes the protocol.""",
    ),
    "PROPERTY_WITHOUT_PREFIX": Explanation(
        None,
        "a property looks like one of Delta's, but has no delta. in front",
        """\
Engines do not read it. Names without delta. are for applications.""",
    ),
    "RESERVED_PROPERTY": Explanation(
        4,
        "Spark keeps this apart from the properties of a table",
        """\
What it calls comment is the table's description; owner, location and provider come from
elsewhere.""",
    ),
    "RETENTION_TOO_SHORT": Explanation(
        4,
        "the log would be kept for a shorter time than removed files",
        """\
delta.logRetentionDuration must be at least delta.deletedFileRetentionDuration. Set both.""",
    ),
    "SYSTEM_DOMAIN": Explanation(
        4,
        "domains that begin with delta. belong to table features",
        """\
Engines keep in them what the features need. A domain of an application has another name.""",
    ),
}

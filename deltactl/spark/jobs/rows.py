"""Whether the rows of a table satisfy a condition, and some that do not."""

from collections.abc import Mapping
from typing import Any

from deltactl.spark.frames.tables import table_at
from deltactl.text.identifiers import backticked

NEEDS_JVM = False


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Count the rows for which `condition` is not true, and show at most `limit` of them.

    They are those of `table` at `version`; of `files` alone, unless that is None. Of each row that
    is shown the values of `shown`, pairs of a name and an expression, come along as JSON, with the
    URL of its file.
    """
    table = table_at(spark, params["table"], params["version"], params["files"])
    condition = params["condition"]
    # A condition of another type would be cast, which engines do not do for constraints.
    kind = table.selectExpr(f"({condition}) AS met").schema["met"].dataType.simpleString()
    if kind != "boolean":
        return {"type": kind, "rows": 0, "violations": 0, "examples": []}
    violated = f"NOT (({condition}) <=> TRUE)"
    [counted] = table.selectExpr(
        "count(*) AS rows", f"count_if({violated}) AS violations"
    ).collect()
    examples = []
    if counted["violations"]:
        columns = ", ".join(f"{sql} AS {backticked(name)}" for name, sql in params["shown"])
        values = f"to_json(struct({columns}), map('ignoreNullFields', 'false'))"
        found = table.where(violated).limit(params["limit"])
        rows = found.selectExpr("_metadata.file_path AS file", f"{values} AS row").collect()
        examples = [[row["file"], row["row"]] for row in rows]
    return {
        "type": kind,
        "rows": counted["rows"],
        "violations": counted["violations"],
        "examples": examples,
    }

"""Run SQL on a new DuckLake, and print the rows of the table `t` after each statement as JSON.

Run by a Python that has duckdb and duckdb-extension-ducklake; the statements come on stdin as JSON.
"""

import json
import sys
from pathlib import Path

import duckdb
import duckdb_extension_ducklake


def main(folder: str) -> None:
    packaged = Path(duckdb_extension_ducklake.__file__).parent
    [extension] = packaged.rglob("*.duckdb_extension")
    database = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    database.execute(f"LOAD '{extension}'")
    # Rows go to files, as the field ids in them are what a reader goes by.
    options = f"DATA_PATH '{folder}/files', DATA_INLINING_ROW_LIMIT 0"
    database.execute(f"ATTACH 'ducklake:{folder}/catalog.ducklake' AS lake ({options})")
    database.execute("USE lake")
    states = []
    for statement in json.load(sys.stdin):
        database.execute(statement)
        # Sorted here: ORDER BY gives wrong numbers in 1.5.5 once a column was widened.
        found = database.execute("SELECT * FROM t")
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        states.append(sorted(rows, key=lambda row: row["id"]))
    json.dump(states, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])

"""Find the files that hold a widened column in an old type, by their footers, and time that alone.

Prints the seconds and the number of the files.
"""

import json
import sys
import time

from deltactl.model.type_changes import fields_with_changes
from deltactl.operations.prune.census import Footers
from deltactl.table.table import open_table

snapshot = open_table(sys.argv[1]).snapshot()
assert snapshot.schema is not None
nodes = list(fields_with_changes(snapshot.schema))
start = time.perf_counter()
old = Footers().census(snapshot, nodes).old.files
print(json.dumps({"seconds": time.perf_counter() - start, "answer": old}))

"""Open the table, which is what deltalake does before it can tell the schema or the protocol."""

import json
import sys

from deltalake import DeltaTable

table = DeltaTable(sys.argv[1])
table.protocol()
print(json.dumps([field.name for field in table.schema().fields]))

"""Read the whole history, newest first."""

import json
import sys

from deltalake import DeltaTable

history = DeltaTable(sys.argv[1]).history()
print(json.dumps([commit["version"] for commit in history]))

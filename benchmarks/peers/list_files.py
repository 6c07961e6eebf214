"""List the live files."""

import json
import sys

from deltalake import DeltaTable

print(json.dumps(len(DeltaTable(sys.argv[1]).file_uris())))

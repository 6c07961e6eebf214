"""Write a checkpoint of the newest version."""

import sys

from deltalake import DeltaTable

DeltaTable(sys.argv[1]).create_checkpoint()

"""Run deltactl without `lone_action` or `stats_alike`: Arrow does all the work.

python -m benchmarks.peers.without lone_action schema show TABLE
"""

import sys
from importlib import import_module

from deltactl.__main__ import run

# Of each module what decides whether it is used, and what it is without it.
_SWITCHES = {
    "lone_action": ("reader", "LARGE", sys.maxsize),
    "stats_alike": ("stats_parser", "read_alike", lambda stats, target: None),
}
module, name, value = _SWITCHES[sys.argv.pop(1)]
setattr(import_module(f"deltactl.table.checkpoint.{module}"), name, value)
run()

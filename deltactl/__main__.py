"""The entry point: `deltactl`, and `python -m deltactl`."""

import gc
import os
import sys
from typing import NoReturn

# A run is short and makes few cycles: looking for them costs more than they hold. Said before
# the first import, which is when most objects of a small command come to be.
gc.set_threshold(1_000_000, 50, 50)

try:
    from deltactl.cli.app import main
except KeyboardInterrupt:  # before there is anything that could tell of it in a better form
    os.write(2, b"error: interrupted [INTERRUPTED]\n")
    os._exit(130)


def run() -> NoReturn:
    """Run the command line of the process, and end it."""
    code = main()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    # Taking a large report apart object by object takes longer than writing it.
    os._exit(code)


if __name__ == "__main__":
    run()

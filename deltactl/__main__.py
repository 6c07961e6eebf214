"""The entry point: `deltactl`, and `python -m deltactl`."""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

# A run is short and makes few cycles: looking for them costs more than they hold. Said before
# the first import, which is when most objects of a small command come to be.
gc.set_threshold(1_000_000, 50, 50)

INTERRUPTED = 130

try:
    from deltactl.cli.process.signals import end_as_by_ctrl_c, end_no_more, fill_closed_streams

    fill_closed_streams()
    end_as_by_ctrl_c()
    from deltactl.cli.app import main
except KeyboardInterrupt:  # before the code that reports it in the chosen format is loaded
    os.write(2, b"error: interrupted [INTERRUPTED]\n")
    os._exit(INTERRUPTED)


def run() -> NoReturn:
    """Run the command line of the process, and end it."""
    try:
        code = main()
    except KeyboardInterrupt:  # a second signal, while the first one was reported
        code = INTERRUPTED
    end_no_more()
    for stream in (sys.stdout, sys.stderr):
        # `main` has reported what could not be written, if it had a stream for that.
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    # Taking a large report apart object by object takes longer than writing it.
    os._exit(code)


if __name__ == "__main__":
    run()

"""`python -m deltactl`."""

import sys

from deltactl.cli.app import main

if __name__ == "__main__":
    sys.exit(main())

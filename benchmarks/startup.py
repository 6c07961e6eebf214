"""How long deltactl takes to start: its version, and its help.

python -m benchmarks.startup
"""

from collections.abc import Iterator

from benchmarks.figure import Case, Options, main
from benchmarks.measure import deltactl


def cases(options: Options) -> Iterator[Case]:
    yield Case(name="`--version`", ours=deltactl("--version"), max_cpu=0.1)
    yield Case(name="`--help`", ours=deltactl("--help"), max_cpu=0.15)


if __name__ == "__main__":
    main(__doc__, cases)

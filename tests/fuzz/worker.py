"""Runs cases in one process: numbers or files of cases in, what is wrong out, a line of JSON each.

A command that takes more than 10 s of CPU, or waits for longer than a minute, ends the process,
with a traceback of where it was; so does one that would address more than 3 GiB.
"""

import faulthandler
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from case import Case, case_of, problems, scratch
from tables import Base, bases

ADDRESSES = 3 << 30
PEAK_KILOBYTES = 1 << 20
CPU_SECONDS = 10
# As a hang: other processes may take most of the machine.
SECONDS = int(os.environ.get("DELTACTL_FUZZ_SECONDS", "60"))


def outcome(case: Case, known: Mapping[str, Base], table: Path) -> list[dict[str, object]]:
    """What is wrong with how the commands of a case end, and with the memory that they take."""
    # A whole case has no longer than one of its commands: all of them take milliseconds.
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    _forget_the_peak()
    found: list[dict[str, object]] = [
        {"command": command, "problem": problem}
        for command, problem in problems(case, known, table)
    ]
    faulthandler.cancel_dump_traceback_later()
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    if (peak := peak_kilobytes()) > PEAK_KILOBYTES:
        found.append({"command": [], "problem": f"{peak} KiB of memory"})
    return found


def peak_kilobytes() -> int:
    """The most memory that this process had since the case began."""
    with suppress(FileNotFoundError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _forget_the_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def main() -> None:
    known = bases()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    faulthandler.register(signal.SIGVTALRM, file=sys.stderr, all_threads=False, chain=True)
    place = scratch()
    table = place / "table"
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    try:
        for line in sys.stdin:
            asked = json.loads(line)
            begun = time.process_time()
            case = case_of(asked, known) if isinstance(asked, int) else Case.from_json(asked)
            found = outcome(case, known, table)
            said: dict[str, object] = {
                "runs": len(case.commands),
                "cpu": time.process_time() - begun,
                "found": found,
            }
            if found:
                said["case"] = case.to_json()
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()

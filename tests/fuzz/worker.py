"""Runs commands in one process: arguments in, outcome out, each as one line of JSON."""

import json
import resource
import sys
from contextlib import suppress
from pathlib import Path

from command_line import Result, run

MEMORY = 3 << 30
ENGINE_FAULTS = ("OUT_OF_MEMORY", "BUG")


def outcome(args: list[str]) -> str | None:
    """What is wrong with how the command ended; None if nothing is."""
    try:
        result = run(*args)
    except AssertionError as error:
        return str(error)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    if result.exit_code not in (0, 3, 4, 5, 8):
        return f"exit {result.exit_code}: {result.stderr}"
    for code in ENGINE_FAULTS:
        if f"[{code}]" in result.stderr:
            return result.stderr
    return malformed(result, args)


def malformed(result: Result, args: list[str]) -> str | None:
    """What is wrong with the form of the output; None if nothing is."""
    try:
        if "json" in args:
            assert result.document["ok"] is (
                result.exit_code == 0 or "error" not in result.document
            )
        elif "ndjson" in args:
            for line in result.stdout.splitlines():
                json.loads(line)
        else:
            # A terminal obeys what is behind an escape; nothing from a table may have one.
            assert "\x1b" not in result.stdout + result.stderr, "an escape reached the terminal"
            assert result.exit_code == 0 or result.stderr, "nothing was said"
    except (AssertionError, ValueError, KeyError) as error:
        return f"{type(error).__name__}: {error}; exit {result.exit_code}: {result.stdout[:200]}"
    return None


def peak_kilobytes() -> int:
    """The most memory that this process had; `getrusage` counts that of the one it came from."""
    with suppress(FileNotFoundError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin:
        problem = outcome(json.loads(line))
        sys.stdout.write(json.dumps({"problem": problem, "peak": peak_kilobytes()}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

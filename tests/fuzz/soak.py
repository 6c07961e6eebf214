"""The soak: cases by number, several processes at a time, for as many runs as are wanted.

    python tests/fuzz/soak.py --runs 1000000 --workers 2 --state /tmp/soak

A run is one command on one damaged log. The folder `--state` keeps how far each process is, and
`failures.jsonl` the cases that failed; started again with it, the soak continues. Ctrl-C ends it. A
case that failed goes to `corpus/`, as a file of its own, once what it found is mended:
`--keep NAME` writes there what `failures.jsonl` holds last.
"""

import argparse
import json
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = map(str, (HERE.parent.parent, HERE.parent, HERE.parent / "acceptance"))

from case import case_of  # noqa: E402 - the folders of the tests come first
from pool import Worker  # noqa: E402
from tables import bases  # noqa: E402

CORPUS = HERE / "corpus"


class Soak:
    """Shared by the threads that wait for the processes."""

    def __init__(self, state: Path, runs: int, first: int, workers: int) -> None:
        self._state = state
        self._wanted = runs
        self._lock = threading.Lock()
        file = state / f"progress-{first}-{workers}.json"
        self._file = file
        known = json.loads(file.read_text()) if file.exists() else {}
        self.next: dict[int, int] = {
            worker: known.get("next", {}).get(str(worker), first + worker)
            for worker in range(workers)
        }
        self.runs, self.cpu, self.failed = (known.get(k, 0) for k in ("runs", "cpu", "failed"))
        self.is_over = self.runs >= runs

    def take(self, worker: int, seed: int, answer: dict[str, object]) -> None:
        """Note what came of a case, for whoever goes on from here."""
        with self._lock:
            self.next[worker] = seed + len(self.next)
            self.runs += answer["runs"]
            self.cpu += answer["cpu"]
            if answer["found"]:
                self.failed += 1
                with open(self._state / "failures.jsonl", "a", encoding="utf-8") as file:
                    file.write(json.dumps({"seed": seed, **answer}) + "\n")
            if self.runs % 50 < 7 or answer["found"]:
                self.save()
            self.is_over = self.is_over or self.runs >= self._wanted

    def save(self) -> None:
        known = {"runs": self.runs, "cpu": self.cpu, "failed": self.failed, "next": self.next}
        self._file.write_text(json.dumps(known))


def work(soak: Soak, number: int, log: Path) -> None:
    """Run the cases of one process until there are enough."""
    with open(log, "ab") as errors:
        worker = Worker(errors)
        try:
            while not soak.is_over:
                seed = soak.next[number]
                soak.take(number, seed, worker.ask(seed))
        finally:
            worker.stop()


def keep(state: Path, name: str) -> None:
    """Write the last case that failed to the corpus."""
    last = json.loads((state / "failures.jsonl").read_text().splitlines()[-1])
    # One that ended its process could not say what it was.
    case = last.get("case") or case_of(last["seed"], bases()).to_json()
    text = json.dumps(case, indent=1, ensure_ascii=True)
    (CORPUS / f"{name}.json").write_text(f"{text}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--keep", metavar="NAME")
    chosen = parser.parse_args()
    chosen.state.mkdir(parents=True, exist_ok=True)
    if chosen.keep:
        keep(chosen.state, chosen.keep)
        return 0
    soak = Soak(chosen.state, chosen.runs, chosen.seed, chosen.workers)
    threads = [
        threading.Thread(target=work, args=(soak, n, chosen.state / f"worker-{n}.log"), daemon=True)
        for n in range(chosen.workers)
    ]
    begun, before = time.monotonic(), soak.runs
    for thread in threads:
        thread.start()
    try:
        while any(thread.is_alive() for thread in threads):
            time.sleep(10)
            rate = (soak.runs - before) / (time.monotonic() - begun)
            sys.stdout.write(
                f"{soak.runs:,} runs, {rate:.1f} a second, {soak.cpu:,.0f} s CPU, "
                f"{soak.failed} cases failed\n"
            )
            sys.stdout.flush()
    except KeyboardInterrupt:
        soak.is_over = True
        for thread in threads:
            thread.join()
    soak.save()
    return 1 if soak.failed else 0


if __name__ == "__main__":
    sys.exit(main())

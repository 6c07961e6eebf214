"""Find the files that hold a widened column in an old type, by their footers, and time that alone.

Prints the seconds and the number of the files; with `--master` Spark reads the footers, once it is
up, and the seconds of its `start` are printed, too.
"""

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

from deltactl.changes.jobs import Engine, Job
from deltactl.operations.physical_types import places_in_files
from deltactl.operations.prune.footers_on_spark import footer_scanner
from deltactl.operations.prune.physical_type_scan import FooterScanner
from deltactl.spark.runner import SparkConfig, job_runner
from deltactl.spec.schema.type_changes import fields_with_changes
from deltactl.table.state.files import prepare_state
from deltactl.table.table import open_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("--master", help="where Spark reads them; else threads do")
    parser.add_argument("--jars", help="the folder with Delta's jars")
    options = parser.parse_args()
    snapshot = open_table(options.table).snapshot()
    assert snapshot.schema is not None
    nodes = list(fields_with_changes(snapshot.schema))
    told = {}
    begun = time.perf_counter()
    with _footers(options) as footers:
        if options.master:
            told["start"] = time.perf_counter() - begun
        # As on Delta's side, the list of files is there before the clock starts.
        files = {
            path: size
            for batch in prepare_state(snapshot).batches(("size",))
            for path, size in zip(
                *(batch.column(n).to_pylist() for n in ("path", "size")), strict=True
            )
        }
        places = places_in_files(snapshot, nodes)
        today = [str(node.type) for node in nodes]
        start = time.perf_counter()
        held = list(footers.ask(snapshot, files, places, lambda _: None))
        seconds = time.perf_counter() - start
        old = sum(types != today for types in held)
        print(json.dumps({"seconds": seconds, "answer": old, **told}))


@contextmanager
def _footers(options: argparse.Namespace) -> Iterator[FooterScanner]:
    if not options.master:
        yield FooterScanner()
        return
    with job_runner(SparkConfig(options.master, options.jars), lambda _: None) as runner:
        runner.run(Job("round_trip", {"value": 1}, why=""))
        yield footer_scanner(runner, Engine.SPARK, on_cluster=False)


if __name__ == "__main__":
    main()

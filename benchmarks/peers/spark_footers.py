"""Have Delta find the files with old types, as DROP FEATURE does, and time that job alone.

The session is up and the list of files is there before the clock starts. Prints the seconds and
the number of the files.
"""

import argparse
import json
import time
from typing import Any

from benchmarks.spark import session


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("--jars", help="delta-spark and delta-storage, joined by a comma")
    options = parser.parse_args()
    spark = session(options.jars)
    jvm: Any = spark._jvm  # declared as possibly None, which it is in Spark Connect only
    delta = jvm.org.apache.spark.sql.delta
    none = jvm.scala.Option.empty()  # Scala's default arguments, which Python must name
    log = delta.DeltaLog.forTable(spark._jsparkSession, options.table)
    snapshot = log.update(False, none, none)
    files = jvm.scala.jdk.javaapi.CollectionConverters.asScala(
        snapshot.allFiles().collectAsList()
    ).toSeq()
    operation = delta.commands.DeltaRewriteTypeWideningOperation()
    start = time.perf_counter()
    old = operation.filterFilesToReorg(spark._jsparkSession, snapshot, files).size()
    print(json.dumps({"seconds": time.perf_counter() - start, "answer": old}))
    spark.stop()


if __name__ == "__main__":
    main()

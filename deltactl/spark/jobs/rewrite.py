"""Files written again as they are, in the types of today: by Delta's writer, from a list of ours.

Delta's own commands do not serve. REORG and OPTIMIZE leave out, of a table with clustering columns,
the files of a cube that is large, or the only one; they lose the tags of files; and what they look
for are the old types of columns, but not of array elements, map keys and map values. So this does
what they do inside, file by file: a transaction of Delta reads the files, with their deletion
vectors and the ids of their rows, writes them, and commits that as a REORG that changes no data.
"""

import time
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from deltactl.spark.settings.properties import MESSAGE, properties

NEEDS_JVM = True

# One task for each file: a file weighs more than a task may hold, and less than would split it.
_WHOLE_FILES = {
    "spark.sql.files.openCostInBytes": str(1 << 40),
    "spark.sql.files.maxPartitionBytes": str(1 << 40),
    "spark.sql.files.maxRecordsPerFile": "0",
    "spark.sql.adaptive.enabled": "false",
}
_PARTS_OF_ADD = 13


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Rewrite the files of each of the `batches` of the `table` in a commit of its own.

    Files are named as their adds name them; those that left the table now are passed over. The
    `message`, if there is one, and the `tags` stand in each commit. The result has one element for
    each commit.
    """
    commits = []
    with properties(spark, {**_WHOLE_FILES, MESSAGE: params["message"]}):
        table = _Table(spark, params["table"], params["tags"])
        for batch in params["batches"]:
            if (commit := table.rewrite(batch)) is not None:
                commits.append(commit)
    return {"commits": commits}


class _Marks(NamedTuple):
    """What stays with the rows of a file: its tags, and by what it was clustered."""

    tags: tuple[tuple[str, str], ...]
    clustered_by: str | None


class _Table:
    """A table, seen through Delta's own classes."""

    def __init__(self, spark: Any, location: str, tags: Mapping[str, str]) -> None:
        self._spark = spark
        self._tags = tags
        self._jvm = spark._jvm
        self._delta = self._jvm.org.apache.spark.sql.delta
        self._nothing = self._only_one(self._jvm.scala, "None")
        self._log = self._only_one(self._delta, "DeltaLog").forTable(
            spark._jsparkSession, self._jvm.org.apache.hadoop.fs.Path(location)
        )

    def rewrite(self, paths: Sequence[str]) -> dict[str, Any] | None:
        """Rewrite the files in one commit; None if none of them is in the table any more."""
        snapshot = self._log.update(False, self._nothing, self._nothing)
        files = self._live(snapshot, paths)
        if not files:
            return None
        transaction = self._log.startTransaction(self._nothing, self._some(snapshot))
        transaction.trackFilesRead(self._seq(files))
        added = []
        by_marks = sorted(((self._marks(file), file) for file in files), key=_order)
        for marks, alike in groupby(by_marks, key=lambda pair: pair[0]):
            data = self._data(snapshot, [file for _, file in alike])
            written = transaction.writeFiles(data, self._nothing, True, self._seq([]))
            added += [self._marked(add, marks) for add in self._list(written)]
        now = int(time.time() * 1000)
        removed = [file.removeWithTimestamp(now, False) for file in files]
        sizes = [sum(file.size() for file in some) for some in (files, added)]
        transaction.registerSQLMetrics(
            self._spark._jsparkSession,
            self._metrics(
                numRemovedFiles=len(files),
                numAddedFiles=len(added),
                numRemovedBytes=sizes[0],
                numAddedBytes=sizes[1],
            ),
        )
        version = transaction.commit(
            self._seq([*added, *removed]),
            self._delta.DeltaOperations.Reorg(self._seq([]), False),
            self._only_one(self._delta, "RowTracking").addPreservedRowTrackingTagIfNotSet(
                snapshot, self._map(self._tags)
            ),
        )
        return {"version": version, "removed": len(files), "added": len(added), "bytes": sizes[0]}

    def _live(self, snapshot: Any, paths: Sequence[str]) -> list[Any]:
        """Return the adds of the files that the snapshot has."""
        wanted = self._java_list([self._canonical(path) for path in paths])
        condition = self._jvm.org.apache.spark.sql.functions.col("path").isInCollection(wanted)
        return list(snapshot.allFiles().filter(condition).collectAsList())

    def _canonical(self, path: str) -> str:
        """Return the path as Delta has it in a snapshot."""
        jvm = self._jvm
        found = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(path))
        if found.isAbsoluteAndSchemeAuthorityNull():
            root = self._log.dataPath()
            found = root.getFileSystem(self._log.newDeltaHadoopConf()).makeQualified(found)
        return str(found.toUri().toString())

    def _data(self, snapshot: Any, files: Sequence[Any]) -> Any:
        """Return the files' rows that are not deleted, with row ids if the table keeps them."""
        rows = self._log.createDataFrame(snapshot, self._seq(files), False, self._some("Optimize"))
        tracking = self._only_one(self._delta, "RowTracking")
        return tracking.preserveRowTrackingColumns(rows, snapshot)

    def _marks(self, file: Any) -> _Marks:
        tags = tuple(sorted(self._dict(file.tags()).items()))
        by = file.clusteringProvider()
        return _Marks(tags, by.get() if by.isDefined() else None)

    def _marked(self, add: Any, marks: _Marks) -> Any:
        """Return the new file with the marks of its source files; the writer's values count."""
        tags = {**dict(marks.tags), **self._dict(add.tags())}
        by = self._nothing if marks.clustered_by is None else self._some(marks.clustered_by)
        # The parts of an add by their places: dataChange, tags, clusteringProvider.
        changed = {5: False, 7: self._map(tags) if tags else None, 11: by}
        return add.copy(
            *(
                changed[place] if place in changed else getattr(add, f"copy$default${place}")()
                for place in range(1, _PARTS_OF_ADD + 1)
            )
        )

    def _metrics(self, **values: int) -> Any:
        metrics = self._jvm.org.apache.spark.sql.execution.metric.SQLMetrics
        context = self._spark._jsparkSession.sparkContext()
        made = {name: metrics.createMetric(context, name) for name in values}
        for name, value in values.items():
            made[name].set(value)
        return self._map(made)

    def _only_one(self, package: Any, name: str) -> Any:
        """Return a Scala object."""
        return getattr(getattr(package, f"{name}$"), "MODULE$")

    def _some(self, value: Any) -> Any:
        return self._jvm.scala.Option.apply(value)

    def _java_list(self, values: Sequence[Any]) -> Any:
        made = self._jvm.java.util.ArrayList()
        for value in values:
            made.add(value)
        return made

    def _seq(self, values: Sequence[Any]) -> Any:
        converters = self._jvm.scala.jdk.javaapi.CollectionConverters
        return converters.asScala(self._java_list(values)).toSeq()

    def _list(self, values: Any) -> list[Any]:
        return list(self._jvm.scala.jdk.javaapi.CollectionConverters.asJava(values))

    def _map(self, values: Mapping[str, Any]) -> Any:
        made = self._jvm.java.util.HashMap()
        for key, value in values.items():
            made.put(key, value)
        scala = self._jvm.scala.jdk.javaapi.CollectionConverters.asScala(made)
        return getattr(self._only_one(self._jvm.scala.collection.immutable, "Map"), "from")(scala)

    def _dict(self, values: Any) -> dict[str, str]:
        if values is None:
            return {}
        return dict(self._jvm.scala.jdk.javaapi.CollectionConverters.asJava(values))


def _order(pair: tuple[_Marks, Any]) -> tuple[Any, ...]:
    return pair[0].tags, pair[0].clustered_by or ""

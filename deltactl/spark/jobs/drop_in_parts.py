"""A feature dropped by the parts of Delta's statement, without its search for files to rewrite.

DROP FEATURE deletionVectors begins with REORG ... PURGE, which asks for the footers of all files on
executors, and on those of a cluster always fails: Delta 4.4 looks there for the session that only
the driver has. Its files were rewritten before, so that search has nothing to find. All else is
done as the statement does it, by the same parts of Delta.
"""

from collections.abc import Mapping
from typing import Any, NoReturn

from deltactl.errors import ConflictError, SparkError
from deltactl.spark.settings.properties import MESSAGE, check_off, properties

NEEDS_JVM = True

_TOMBSTONES = "generateDVTombstones"
# Of a snapshot: one from before that is not new enough.
_NEWEST = 1 << 62
TOO_YOUNG = "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST"
FIRST_RUN = "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD"


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Drop the `feature` of the `table`; the result is the version that the table has then.

    No file may use it any more, and the properties that are `off` must still be so.

    With `truncateHistory` what is old enough of the history goes, and the feature with it; but as
    with Delta's statement not in a run that `cleaned` the table.

    Raises:
        ConflictError: the table uses the feature again; it was not dropped.
        SparkError: the history knows the feature and is too young to go.
    """
    check_off(spark, f"delta.`{params['table'].replace('`', '``')}`", params["off"])
    with properties(spark, {MESSAGE: params["message"]}):
        table = _Table(spark, params["table"], params["feature"])
        table.keep_vectors()
        if params["truncateHistory"]:
            if params["cleaned"]:
                table.end_first_run()
            return {"version": table.drop_with_history()}
        return {"version": table.drop()}


def end_first_run(spark: Any, params: Mapping[str, Any]) -> NoReturn:
    """End a run that `cleaned` the table, with a checkpoint from which on the wait counts.

    Raises:
        SparkError: the history is too young to go.
    """
    table = _Table(spark, params["table"], params["feature"]) if _has_jvm(spark) else None
    if table is not None:
        table.end_first_run()
    raise _too_young(params["feature"], FIRST_RUN)


def _has_jvm(spark: Any) -> bool:
    """Return whether the session has a JVM, which one of Spark Connect does not have."""
    return type(spark).__module__ == "pyspark.sql.session"


def _too_young(feature: str, cause: str) -> SparkError:
    return SparkError(
        "SPARK_JOB_FAILED",
        f"the history knows {feature}, and is too young to be deleted",
        details={"cause": cause},
    )


class _Table:
    """A table and the feature that it loses, seen through Delta's own classes."""

    def __init__(self, spark: Any, location: str, feature: str) -> None:
        self._jvm, self._session, self._name = spark._jvm, spark._jsparkSession, feature
        self._gateway = spark.sparkContext._gateway
        self._delta = self._jvm.org.apache.spark.sql.delta
        self._none = self._only_one(self._jvm.scala, "None")
        no_options = self._only_one(self._jvm.scala.collection.immutable, "Map").empty()
        self._table = self._only_one(self._delta.catalog, "DeltaTableV2").apply(
            self._session, self._jvm.org.apache.hadoop.fs.Path(location), no_options, "DROP FEATURE"
        )
        features = self._only_one(self._delta, "TableFeature")
        self._feature = features.featureNameToFeature(feature).get()
        self._parts = self._only_one(self._delta.actions, "DropTableFeatureUtils")

    def keep_vectors(self) -> None:
        """Have the log name the files of vectors of older versions.

        Who does not know vectors would take them for left over, and delete them.
        """
        command = self._delta.DeletionVectorsPreDowngradeCommand(self._table)
        metrics = self._delta.DeletionVectorsRemovalMetrics(0, 0, 0, 0, 0)
        [method] = [
            one for one in command.getClass().getDeclaredMethods() if one.getName() == _TOMBSTONES
        ]
        method.setAccessible(True)
        words = self._gateway.new_array(self._jvm.java.lang.Object, 3)
        words[0], words[1], words[2] = self._session, _NEWEST, metrics
        method.invoke(command, words)

    def drop(self) -> int:
        """Drop it behind checkpoints that do not know it, and that writers must keep."""
        for _ in range(self._parts.NUMBER_OF_BARRIER_CHECKPOINTS()):
            if not self._parts.createEmptyCommitAndCheckpoint(self._table, _NEWEST, True):
                raise SparkError("SPARK_JOB_FAILED", "Delta could not make a checkpoint")
        transaction = self._begin()
        protection = self._only_one(self._delta, "CheckpointProtectionTableFeature")
        protocol = transaction.protocol().denormalized().withFeature(protection)
        transaction.updateProtocol(protocol.removeFeature(self._feature))
        metadata = protection.metadataWithCheckpointProtection(
            self._without_properties(transaction), transaction.readVersion() + 1
        )
        version = self._commit(transaction, metadata, truncates=False)
        self._parts.createCheckpointWithRetries(self._table, _NEWEST)
        return version

    def end_first_run(self) -> NoReturn:
        """Make a checkpoint that does not know the feature, and leave the history alone."""
        self._checkpoint()
        raise _too_young(self._name, FIRST_RUN)

    def drop_with_history(self) -> int:
        """Drop it once the history that knows it is gone, as far as that is old enough."""
        self._checkpoint()
        transaction = self._begin()
        snapshot, log = transaction.snapshot(), self._table.deltaLog()
        kept = self._jvm.scala.jdk.javaapi.OptionConverters.toScala(
            self._jvm.java.util.OptionalLong.of(
                self._parts.truncateHistoryLogRetentionMillis(transaction.metadata())
            )
        )
        minutes = self._only_one(self._delta, "TruncationGranularity").MINUTE()
        log.cleanUpExpiredLogs(snapshot, self._none, kept, minutes)
        if self._feature.historyContainsFeature(self._session, self._table, snapshot):
            raise _too_young(self._name, TOO_YOUNG)
        transaction.updateProtocol(transaction.protocol().removeFeature(self._feature))
        return self._commit(transaction, self._without_properties(transaction), truncates=True)

    def _checkpoint(self) -> None:
        self._parts.createEmptyCommitAndCheckpoint(self._table, _NEWEST, False)

    def _begin(self) -> Any:
        """Return a transaction on a table that no longer uses the feature."""
        transaction = self._table.startTransaction(self._none)
        snapshot = transaction.snapshot()
        # What Delta counts it may have from a checksum, which need not say how many there are.
        vectors = snapshot.allFiles().where("deletionVector IS NOT NULL").limit(1).count()
        if vectors or not self._feature.validateDropInvariants(self._table, snapshot):
            raise ConflictError(
                "SWITCHED_ON_AGAIN",
                f"another writer came first: the table uses {self._name} again",
                hint="run it again: it begins with that",
            )
        return transaction

    def _without_properties(self, transaction: Any) -> Any:
        return self._parts.getDowngradedProtocolMetadata(self._feature, transaction.metadata())

    def _commit(self, transaction: Any, metadata: Any, *, truncates: bool) -> int:
        transaction.updateMetadata(metadata, False)
        actions = self._feature.actionsToIncludeAtDowngradeCommit(transaction.snapshot())
        operation = self._delta.DeltaOperations.DropTableFeature(self._name, truncates)
        version: int = transaction.commit(actions, operation)
        return version

    def _only_one(self, package: Any, name: str) -> Any:
        """Return a Scala object."""
        return getattr(getattr(package, f"{name}$"), "MODULE$")

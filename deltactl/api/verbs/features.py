"""Table features and protocol versions."""

from functools import partial
from typing import Unpack

from deltactl.api.arguments import wrong
from deltactl.api.verbs.file_scan import BATCH, file_scan
from deltactl.api.verbs.verbs import Options, R, Verbs, verb
from deltactl.operations.protocol.drop import plan_protocol_drop
from deltactl.operations.protocol.enable import plan_protocol_enable
from deltactl.operations.protocol.upgrade import plan_protocol_upgrade
from deltactl.spec.properties.column_lists import parse_columns


class FeatureVerbs(Verbs[R]):
    """Table features are enabled and dropped, and protocol versions raised."""

    GROUP = "features."

    @verb
    def enable(self, *features: str, columns: str | None = None, **options: Unpack[Options]) -> R:
        """Enable table features, in one commit.

        Args:
            features: their names.
            columns: the columns to cluster by, separated by commas, with the feature clustering.
            options: see `Options`.
        """
        if not features:
            raise wrong("features", "features names no feature")
        if columns is not None and "clustering" not in map(str.casefold, features):
            raise wrong("columns", "columns goes with the feature clustering")
        chosen = None if columns is None else parse_columns(columns)
        return self._make(
            lambda _: partial(plan_protocol_enable, names=features, columns=chosen), options
        )

    @verb
    def drop(
        self, feature: str, *, truncate_history: bool = False, **options: Unpack[Options]
    ) -> R:
        """Drop a table feature, and what belongs to it.

        Args:
            feature: its name.
            truncate_history: also delete the history that knows it: two calls, a day apart.
            options: see `Options`.
        """
        return self._make(
            lambda work: partial(
                plan_protocol_drop,
                name=feature,
                files=file_scan(work, BATCH),
                truncate=truncate_history,
            ),
            options,
        )

    @verb
    def upgrade(
        self,
        *,
        reader: int | None = None,
        writer: int | None = None,
        **options: Unpack[Options],
    ) -> R:
        """Raise the versions of a protocol that lists no features.

        Args:
            reader: the reader version, 1 to 3.
            writer: the writer version, 1 to 7.
            options: see `Options`.
        """
        for name, version, last in (("reader", reader, 3), ("writer", writer, 7)):
            if version is not None and not 1 <= version <= last:
                raise wrong(name, f"{name} must be 1 to {last}, not {version}")
        if reader is None and writer is None:
            raise wrong("reader", "give reader, writer, or both")
        return self._make(
            lambda _: partial(plan_protocol_upgrade, reader=reader, writer=writer), options
        )

"""Properties of a table, and its name and description."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Unpack

from deltactl.api.arguments import wrong
from deltactl.api.verbs.verbs import Options, R, Verbs, verb
from deltactl.operations.properties.set import PropertyRequest, plan_set_properties
from deltactl.operations.properties.table_details import plan_table_comment, plan_table_rename
from deltactl.operations.properties.unset import plan_unset_properties


class PropertyVerbs(Verbs[R]):
    """Changes of properties, and of the name and the description of the table."""

    GROUP = "properties."

    @verb
    def set(
        self,
        properties: Mapping[str, str] | Sequence[tuple[str, str]],
        *,
        force: bool = False,
        **options: Unpack[Options],
    ) -> R:
        """Set properties, and add the table features that they need, in one commit.

        Args:
            properties: values by name; names that begin with `delta.` match in any letter case.
            force: store unknown names that begin with `delta.`.
            options: see `Options`.
        """
        pairs = properties.items() if isinstance(properties, Mapping) else properties
        asked = [PropertyRequest(key, value) for key, value in pairs]
        if not asked:
            raise wrong("properties", "properties names no property")
        return self._make(
            lambda _: partial(plan_set_properties, spark_config=asked, force=force), options
        )

    @verb
    def unset(self, *keys: str, if_exists: bool = False, **options: Unpack[Options]) -> R:
        """Remove properties, in one commit: their defaults hold again.

        Args:
            keys: the names.
            if_exists: ignore properties that are not set.
            options: see `Options`.
        """
        if not keys:
            raise wrong("keys", "keys names no property")
        return self._make(
            lambda _: partial(plan_unset_properties, keys=keys, if_exists=if_exists), options
        )

    @verb
    def set_description(self, text: str, **options: Unpack[Options]) -> R:
        """Set the description of the table; an empty one removes it."""
        return self._make(lambda _: partial(plan_table_comment, text=text), options)

    @verb
    def set_name(self, name: str, **options: Unpack[Options]) -> R:
        """Set the name in the metadata; an empty one removes it. Folder and catalog stay."""
        return self._make(lambda _: partial(plan_table_rename, name=name), options)

"""Metadata domains of applications."""

from functools import partial
from typing import Unpack

from deltactl.api.verbs.verbs import Options, R, Verbs, verb
from deltactl.operations.domains.set import plan_set_domain, plan_unset_domain


class DomainVerbs(Verbs[R]):
    """Metadata domains are set and removed."""

    GROUP = "domains."

    @verb
    def set(
        self, name: str, configuration: str, *, enable: bool = False, **options: Unpack[Options]
    ) -> R:
        """Store `configuration` verbatim as the domain of an application.

        Args:
            name: the name of the domain.
            configuration: what the domain holds.
            enable: add the feature domainMetadata if it is missing.
            options: see `Options`.
        """
        return self._make(
            lambda _: partial(plan_set_domain, name=name, text=configuration, enabling=enable),
            options,
        )

    @verb
    def unset(self, name: str, *, if_exists: bool = False, **options: Unpack[Options]) -> R:
        """Remove the domain of an application.

        Args:
            name: the name of the domain.
            if_exists: do nothing if there is no such domain.
            options: see `Options`.
        """
        return self._make(
            lambda _: partial(plan_unset_domain, name=name, if_exists=if_exists), options
        )

"""`domain set` and `domain unset`: the metadata domains of applications."""

from dataclasses import replace

from deltactl.changes.draft import Draft
from deltactl.changes.plan import ChangePlan
from deltactl.operations.domains.list import is_system
from deltactl.operations.table_features.enablement import enable
from deltactl.spec.actions.action import DomainMetadata
from deltactl.spec.keys import DOMAIN_METADATA_FEATURE
from deltactl.text.hints import Command, Option
from deltactl.text.suggestions import nearest


def plan_set_domain(draft: Draft, name: str, text: str, *, enabling: bool = False) -> ChangePlan:
    """Plan `text`, verbatim, as the configuration of the domain.

    `enabling` adds the table feature that domains need.
    """
    if _is_own(draft, name):
        if enabling:
            enable(draft, DOMAIN_METADATA_FEATURE)
        elif DOMAIN_METADATA_FEATURE not in draft.features:
            draft.refuse(
                "DOMAIN_METADATA_NOT_SUPPORTED",
                f"the table does not have the feature {DOMAIN_METADATA_FEATURE}",
                Option("--enable")
                + ", or first: "
                + Command("protocol enable", DOMAIN_METADATA_FEATURE),
            )
        known = draft.domain(name)
        draft.set_domain(DomainMetadata(domain=name, configuration=text))
        if known is None:
            draft.undo_with(Command("domain unset", name))
        elif known.configuration != text:
            draft.undo_by_setting(known)
    return draft.plan("SET DOMAIN METADATA", {"domain": name})


def plan_unset_domain(draft: Draft, name: str, *, if_exists: bool = False) -> ChangePlan:
    """Plan the removal of the domain."""
    if _is_own(draft, name):
        known = draft.domain(name)
        if known is not None:
            draft.set_domain(replace(known, removed=True))
            draft.undo_by_setting(known)
        elif not if_exists:
            near = nearest(name, draft.live_domains)
            draft.refuse(
                "DOMAIN_NOT_FOUND",
                f"the table has no domain {name}",
                f"did you mean {' or '.join(near)}?"
                if near
                else Command("domain list") + " lists them",
                is_missing=True,
            )
    return draft.plan("UNSET DOMAIN METADATA", {"domain": name})


def _is_own(draft: Draft, name: str) -> bool:
    if name.strip() and not is_system(name):
        return True
    if not name.strip():
        draft.refuse("DOMAIN_NAME_EMPTY", "the name of a domain cannot be empty")
    else:
        said = f"{name} is a domain of a table feature, which keeps it itself"
        draft.refuse("SYSTEM_DOMAIN", said, "a domain of your own has a name without delta.")
    return False

"""`property set`: table properties, each with the table feature that it asks for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from deltactl.changes.draft import Draft, as_text
from deltactl.changes.plan import ChangePlan
from deltactl.operations.properties.rules import check_settings, refuse_switching_off
from deltactl.operations.table_features.enablement import (
    PREVIEW,
    enable,
    operation_and_parameters,
    undo,
)
from deltactl.spec.keys import (
    COLUMN_MAPPING_FEATURE,
    COLUMN_MAPPING_MODE,
    CONSTRAINT_PREFIX,
    DELTA_PREFIX,
    ENABLE_CHANGE_DATA_CAPTURE,
    ENABLE_CHANGE_DATA_FEED,
    ENABLE_ROW_IDS,
    ENABLE_ROW_TRACKING,
    FEATURE_PREFIX,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    ROW_IDS_COLUMN,
)
from deltactl.spec.properties import registry
from deltactl.spec.properties.registry import Owner, Property, Type
from deltactl.spec.protocol.features import FEATURES, is_active
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema import column_mapping
from deltactl.text.hints import Command, Sql, Words

# What Spark keeps elsewhere, or takes for its own.
_RESERVED = ("comment", "external", "is_managed_location", "location", "owner", "provider")
_SETTABLE = (Owner.USER, Owner.FEATURE)
_RENAMED: Mapping[str, str | None] = {
    ENABLE_ROW_IDS: ENABLE_ROW_TRACKING,
    ROW_IDS_COLUMN: None,
}


class PropertyRequest(NamedTuple):
    """A property and the value that it is to have, as they were typed."""

    key: str
    value: str


class ResolvedProperty(NamedTuple):
    """A wish that was understood: the key as engines spell it, and the text to store."""

    key: str
    value: str
    row: Property | None


def plan_set_properties(
    draft: Draft, spark_config: Sequence[PropertyRequest], *, force: bool = False
) -> ChangePlan:
    """Plan all `spark_config` as one commit, with the features that they ask for.

    `force` stores unknown `delta.*` properties.
    """
    settings = list(_settings(draft, spark_config, force=force))
    changed = [s for s in settings if not _is_so(draft, s)]
    for setting in changed:
        draft.configuration[setting.key] = setting.value
    for setting in sorted(changed, key=_order):
        if setting.row is not None and setting.row.owner is Owner.FEATURE:
            _switch(draft, setting, setting.row)
    check_settings(draft, {setting.key for setting in changed})
    for command in _steps_back(draft, [setting.key for setting in changed]):
        draft.undo_with(command)
    if draft.file_actions is not None:
        return draft.plan(*operation_and_parameters(draft))
    asked = {setting.key: setting.value for setting in settings}
    return draft.plan("SET TBLPROPERTIES", {"properties": as_text(asked)})


def _settings(
    draft: Draft, spark_config: Sequence[PropertyRequest], *, force: bool
) -> Iterator[ResolvedProperty]:
    """Yield the wishes that may be fulfilled, as far as that is seen from each alone."""
    seen: dict[str, str] = {}
    for request in spark_config:
        row = registry.lookup(request.key)
        setting = _free(draft, request, force=force) if row is None else _known(draft, request, row)
        if setting is None:
            continue
        if seen.setdefault(setting.key, setting.value) != setting.value:
            draft.refuse(
                "PROPERTY_NAMED_TWICE",
                f"{setting.key} is to become {seen[setting.key]} and {setting.value}",
                "name each property once",
            )
            continue
        yield setting


def _free(draft: Draft, request: PropertyRequest, *, force: bool) -> ResolvedProperty | None:
    """Return an unknown property: of other applications, or a name misspelt."""
    key = request.key
    near = [n for n in registry.nearest(key) if registry.PROPERTIES[n].owner in _SETTABLE]
    if (prefix := key.casefold()) in registry.FAMILIES:
        code = "CONSTRAINT_NAME_EMPTY" if prefix == CONSTRAINT_PREFIX else "UNKNOWN_PROPERTY"
        draft.refuse(code, f"{key} is only what names begin with: more must follow the dot")
        return None
    if key.casefold().startswith(DELTA_PREFIX):
        hint = f"did you mean {' or '.join(near)}?" if near else None
        if not force:
            said = f"unknown property {key}"
            draft.refuse("UNKNOWN_PROPERTY", said, hint or "--force stores it nevertheless")
            return None
        draft.warn("UNKNOWN_PROPERTY", f"no property is named {key}: Spark will refuse to set it")
    elif key in _RESERVED:
        draft.refuse(
            "RESERVED_PROPERTY",
            f"{key} is not a table property: Spark keeps it apart",
            Command("table comment", request.value)
            if key == "comment"
            else f"a property of your own has a longer name, such as {key}.name",
        )
        return None
    elif (row := registry.lookup(f"{DELTA_PREFIX}{key}")) is not None and not row.is_family:
        draft.warn(
            "PROPERTY_WITHOUT_PREFIX",
            f"engines do not know {key}; the property that they read is {row.name}",
        )
    return ResolvedProperty(key, request.value, None)


def _known(draft: Draft, request: PropertyRequest, row: Property) -> ResolvedProperty | None:
    if refused := _not_to_be_set(request, row):
        draft.refuse(*refused)
        return None
    key = row.name + request.key[len(row.name) :] if row.is_family else row.name
    if key == ENABLE_CHANGE_DATA_CAPTURE:
        draft.warn(
            "OLD_PROPERTY_NAME",
            f"{key} is the older name of {ENABLE_CHANGE_DATA_FEED}, which is set",
        )
        key, row = ENABLE_CHANGE_DATA_FEED, registry.PROPERTIES[ENABLE_CHANGE_DATA_FEED]
    with draft.refusing():
        value = registry.parse(key, request.value)
        if row.type is Type.BOOLEAN:
            return ResolvedProperty(key, "true" if value else "false", row)
        return ResolvedProperty(key, str(value) if row.type is Type.ENUM else request.value, row)
    return None


def _not_to_be_set(request: PropertyRequest, row: Property) -> tuple[str, str, Words | None] | None:
    key = request.key
    if row.name == CONSTRAINT_PREFIX:
        hint = Command("constraint add", key[len(CONSTRAINT_PREFIX) :], request.value)
        said = "a CHECK constraint is added, after a look at the existing rows"
        return "CONSTRAINT_AS_PROPERTY", said, hint
    if row.owner is Owner.PROTOCOL:
        said = f"{key} belongs to the protocol; stored as a property it would go off later"
        return "PROPERTY_OF_PROTOCOL", said, _protocol_command(key, request.value)
    if row.owner is Owner.ENGINE:
        said = f"{row.name} is kept by engines themselves: {row.meaning.rstrip('.')}"
        return "INTERNAL_PROPERTY", said, None
    if row.owner is Owner.DRAFT:
        released = _RENAMED.get(row.name)
        instead = Command("property set", f"{released}={request.value}") if released else None
        return "DRAFT_PROPERTY", f"{row.name} is a draft name: no engine reads it", instead
    return None


def _protocol_command(key: str, value: str) -> Command | None:
    folded = key.casefold()
    if folded.startswith(FEATURE_PREFIX):
        return Command("protocol enable", key[len(FEATURE_PREFIX) :])
    for name, option in (
        (MIN_READER_VERSION, "--reader"),
        (MIN_WRITER_VERSION, "--writer"),
    ):
        if folded == name.casefold():
            return Command("protocol upgrade", option, value)
    return None


def _is_so(draft: Draft, setting: ResolvedProperty) -> bool:
    """Return whether the property has that value, in whatever letter case."""
    known = draft.base.configuration.get(setting.key)
    if known is None or setting.row is None:
        return known == setting.value
    if setting.row.type in (Type.BOOLEAN, Type.ENUM):
        return known.casefold() == setting.value.casefold()
    return known == setting.value


def _order(setting: ResolvedProperty) -> int:
    """Put column mapping first, since other features need it, and Iceberg's rules last."""
    if setting.key == COLUMN_MAPPING_MODE:
        return 0
    return 2 if "Iceberg" in setting.key else 1


def _switch(draft: Draft, setting: ResolvedProperty, row: Property) -> None:
    feature = FEATURES[row.feature or ""]
    if not is_active(feature, {setting.key: setting.value}, ()):
        if refuse_switching_off(draft, row):
            _put_back(draft, setting.key)
    elif setting.key == COLUMN_MAPPING_MODE and not _may_map(draft, setting.value):
        before = column_mapping.mode(draft.base.configuration)
        draft.refuse(
            "COLUMN_MAPPING_MODE",
            f"{setting.key} cannot go from {before} to {setting.value}: existing files "
            "would not be read right",
            Command("property set", f"{setting.key}=name")
            if before == "none"
            else "leave it: the mode of a table that is mapped stays as it is",
        )
        _put_back(draft, setting.key)
    else:
        enable(draft, feature.name)
        if draft.features.isdisjoint({feature.name, f"{feature.name}{PREVIEW}"}):
            _put_back(draft, setting.key)


def _put_back(draft: Draft, key: str) -> None:
    """Leave a property that was refused as it is: one reason against it is enough."""
    draft.configuration.pop(key, None)
    if key in draft.base.configuration:
        draft.configuration[key] = draft.base.configuration[key]


def _may_map(draft: Draft, mode: str) -> bool:
    """Return no engine maps a table by id after it was created: its files have no ids."""
    return column_mapping.mode(draft.base.configuration) == "none" and mode == "name"


def _steps_back(draft: Draft, keys: Sequence[str]) -> Iterator[Command | Sql]:
    before = draft.base.configuration
    gained = draft.features - supported(draft.base.protocol)
    if COLUMN_MAPPING_FEATURE in gained and (way := undo(FEATURES[COLUMN_MAPPING_FEATURE])):
        yield way
        keys = [key for key in keys if key != COLUMN_MAPPING_MODE]
    old = [f"{key}={before[key]}" for key in keys if key in before]
    new = [key for key in keys if key not in before]
    if old:
        yield Command("property set", *old)
    if new:
        yield Command("property unset", *new)

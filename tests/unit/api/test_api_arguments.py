"""Every argument of the public API, given what it may not be: UsageError with its name."""

import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_tables import commit_info, field, metadata, protocol, write_log

import deltactl
from deltactl.api import groups
from deltactl.api.reading.reports import Reports, known_features
from deltactl.api.verbs.verbs import Options
from deltactl.errors import DeltactlError

GIVEN: dict[str, Any] = {
    "None": None,
    "bool": True,
    "int": 7,
    "negative": -7,
    "huge": 1 << 63,
    "float": 1.5,
    "str": "x",
    "half a pair": "\ud800",
    "bytes": b"x",
    "list": [7],
    "tuple": (7,),
    "dict": {7: 7},
    "object": object(),
}
# Which of these an argument may be, by the annotation of its parameter as it is written.
TAKES: dict[str, set[str]] = {
    "At": {"None", "int"},
    "int | deltactl.spec.versions.VersionsBack | datetime | None": {"None", "int"},
    "int | deltactl.spec.versions.VersionsBack | None": {"None", "int"},
    "bool": {"bool"},
    "data_schema.DataSchema | str": {"str"},
    "datetime | None": {"None"},
    "float": {"int", "float"},
    "float | None": {"None", "int", "float"},
    "int": {"int"},
    "int | None": {"None", "int"},
    "checkpointing.KindName | None": {"None"},
    "Literal['auto', 'local', 'spark']": set(),
    "Literal['ddl', 'json', 'arrow']": set(),
    "Mapping[str, str]": set(),
    "Mapping[str, str] | None": {"None"},
    "Mapping[str, str] | Sequence[tuple[str, str]]": set(),
    "Progress": set(),
    "Reports | None": {"None"},
    "Sequence[str]": set(),
    "Spark | SparkSession | None": {"None"},
    "str": {"str"},
    "str | PathLike[str]": {"str"},
    "str | int": {"str", "int"},
    "str | None": {"None", "str"},
    "tuple[str, int] | None": {"None"},
    "Plan | SavedPlan": set(),
    "PlanOrSaved": set(),
    "WriteMode": set(),
}


PLAN = object()
"""Stands for a plan of the table."""

NEEDS: dict[str, tuple[Any, ...]] = {
    "add": ("a", "int"),
    "apply": (PLAN,),
    "comment": ("id", "t"),
    "diff": (0,),
    "drop": ("id",),
    "drop_default": ("id",),
    "drop_not_null": ("id",),
    "enable": ("v2Checkpoint",),
    "log_file": ("0",),
    "physical_types": ("id",),
    "property": ("delta.appendOnly",),
    "rename": ("id", "new"),
    "schema_check": ("a int",),
    "schema_diff": (0,),
    "schema_types": ("id",),
    "set": ({"a": "b"},),
    "set_default": ("id", "1"),
    "set_description": ("t",),
    "set_name": ("t",),
    "set_not_null": ("id",),
    "unset": ("a",),
    "widen": ({"id": "long"},),
}
NEEDS_OF_GROUP: dict[tuple[str, str], tuple[Any, ...]] = {
    ("constraints", "add"): ("c", "id > 0"),
    ("domains", "set"): ("d", "t"),
}
GROUPS = ["columns", "properties", "constraints", "domains", "features", "reports"]


def public(found: object) -> list[str]:
    """The names of the public methods of a class."""
    return [n for n in dir(found) if not n.startswith("_") and callable(getattr(found, n))]


def calls() -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Every public callable: its path, the function, and what it needs at least."""
    yield "open", deltactl.open, ("t",)
    yield "find_tables", deltactl.find_tables, ("t",)
    yield "Spark", deltactl.Spark, ()
    yield "DeltaTable", deltactl.DeltaTable, ("t",)
    yield "known_features", known_features, ()
    for name in public(deltactl.DeltaTable):
        yield name, getattr(deltactl.DeltaTable, name), NEEDS.get(name, ())
    kinds = groups.Columns, groups.Properties, groups.Constraints, groups.Domains
    for group, kind in zip(GROUPS, (*kinds, groups.FeatureVerbs, Reports), strict=True):
        for name in public(kind):
            needs = NEEDS_OF_GROUP.get((group, name), NEEDS.get(name, ()))
            yield f"{group}.{name}", getattr(kind, name), needs
    for name in public(groups.Plans):
        yield f"plan.{name}", getattr(groups.Plans, name), NEEDS.get(name, ())


def arguments() -> Iterator[tuple[str, str]]:
    """Every argument of each public callable."""
    for path, function, _ in calls():
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                yield from ((path, name) for name in Options.__annotations__)
            elif parameter.name != "self":
                yield path, parameter.name


CALLS = {path: (function, needs) for path, function, needs in calls()}
ARGUMENTS = sorted(arguments())


def annotation(function: Any, argument: str) -> str:
    """The annotation of the parameter, as it is written."""
    parameters = inspect.signature(function).parameters
    found = parameters[argument].annotation if argument in parameters else None
    if found is None:
        found = Options.__annotations__[argument]
    text = found if isinstance(found, str) else inspect.formatannotation(found)
    for module in ("deltactl.api.verbs.verbs", "deltactl.api.values", "deltactl.api.work"):
        text = text.replace(f"{module}.", "")
    for module in ("collections.abc.", "typing.", "datetime.", "os.", "deltactl.api.reading."):
        text = text.replace(module, "")
    return ALIASES.get(text, text)


# What aliases come out as.
ALIASES = {
    "int | datetime | None": "At",
    "Optional[Literal['classic', 'multipart', 'v2']]": "Kind | None",
    "Literal['append', 'mergeSchema', 'typeWidening', 'overwriteSchema']": "WriteMode",
}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> deltactl.DeltaTable:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").mkdir()
    heads = [
        protocol(reader=["typeWidening"], writer=["appendOnly", "invariants"]),
        metadata(field("id", "integer"), enableTypeWidening="true"),
    ]
    write_log(tmp_path / "t", [[commit_info(), *heads]])
    return deltactl.open("t")


@pytest.mark.parametrize(
    ("path", "argument"), ARGUMENTS, ids=[f"{path}-{name}" for path, name in ARGUMENTS]
)
def test_a_wrong_argument_is_refused_by_name(
    path: str, argument: str, table: deltactl.DeltaTable
) -> None:
    function, needs = CALLS[path]
    needs = tuple(table.plan.widen({"id": "long"}) if n is PLAN else n for n in needs)
    takes = TAKES[annotation(function, argument)]
    holder: Any = table
    for part in path.split("."):
        holder = getattr(holder, part, None) or function
    before = os.listdir("t/_delta_log")
    wrong = []
    for kind, value in GIVEN.items():
        if kind in takes:
            continue
        outcome = outcome_of(holder, function, needs, argument, value)
        if outcome != f"USAGE {{'argument': {argument!r}}}":
            wrong.append((kind, outcome))
    assert wrong == []
    assert os.listdir("t/_delta_log") == before
    # What it may be ends well, or with an error of ours.
    for kind in sorted(takes):
        outcome = outcome_of(holder, function, needs, argument, GIVEN[kind])
        if outcome.startswith("not ours"):
            wrong.append((kind, outcome))
    assert wrong == []


def outcome_of(
    call: Callable[..., Any], function: Any, needs: tuple[Any, ...], argument: str, value: Any
) -> str:
    """How the call ends that gives `value` for the argument, and what it needs for the others."""
    names = list(inspect.signature(function).parameters.values())
    names = [p for p in names if p.name != "self"]
    positional, keywords = list(needs), {}
    place = next((i for i, p in enumerate(names) if p.name == argument), None)
    if place is not None and names[place].kind is inspect.Parameter.VAR_POSITIONAL:
        positional[place:] = [value]
    elif place is not None and place < len(positional):
        positional[place] = value
    else:
        keywords[argument] = value
    try:
        found = call(*positional, **keywords)
        if isinstance(found, Iterator):
            list(found)
    except DeltactlError as error:
        return f"{error.code} {error.details}"
    except Exception as error:
        return f"not ours: {type(error).__name__}: {error}"
    return "ends well"


def test_every_public_callable_is_looked_at() -> None:
    assert {"open", "apply", "repair", "columns.add", "reports.show", "plan.widen"} <= CALLS.keys()
    assert len(ARGUMENTS) > 200


def test_one_of_several_arguments_is_named_by_what_each_must_be(
    table: deltactl.DeltaTable,
) -> None:
    columns: Any = ["id", "other"]
    with pytest.raises(deltactl.UsageError, match=r"^columns must be str \(UTF-8\), not list$"):
        table.plan.columns.drop(columns)


def test_a_file_name_that_no_file_can_have(table: deltactl.DeltaTable) -> None:
    plan = table.plan.properties.set({"a": "b"})
    for call in (plan.save, deltactl.load_plan):
        with pytest.raises(deltactl.UsageError, match="null character") as caught:
            call("a\0b")
        assert caught.value.details == {"argument": "path"}

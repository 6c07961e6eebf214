"""Domains of applications: kept to the letter, taken away with what they were."""

from pathlib import Path

import pytest
from drafts import back, codes, draft_of
from small_tables import LEGACY, Action, field, metadata, protocol

from deltactl.changes.plan import Plan
from deltactl.operations.domains.set import plan_set_domain, plan_unset_domain

WITH = [protocol(writer=["domainMetadata"]), metadata(field("id", "integer"))]
WITHOUT = [LEGACY, metadata(field("id", "integer"))]
KNOWN = {"domainMetadata": {"domain": "app.x", "configuration": "{ }", "removed": False}}


def domains(plan: Plan) -> list[Action]:
    return [dict(domain.to_json()) for domain in plan.domains]


def test_a_new_one(tmp_path: Path) -> None:
    made = plan_set_domain(draft_of(tmp_path, WITH), "App.Y", '{"ä": 1}\n')
    assert domains(made) == [{"domain": "App.Y", "configuration": '{"ä": 1}\n', "removed": False}]
    assert (made.metadata, made.protocol) == (None, None)
    assert back(made) == ["deltactl domain unset TABLE App.Y"]


def test_another_text(tmp_path: Path) -> None:
    made = plan_set_domain(draft_of(tmp_path, [*WITH, KNOWN]), "app.x", "{}")
    assert back(made) == ["deltactl domain set TABLE app.x '{ }'"]
    assert [(s.before, s.after) for s in made.settings] == [("{ }", "{}")]


def test_the_same_text(tmp_path: Path) -> None:
    assert plan_set_domain(draft_of(tmp_path, [*WITH, KNOWN]), "app.x", "{ }").is_empty


def test_it_needs_the_feature(tmp_path: Path) -> None:
    made = plan_set_domain(draft_of(tmp_path, WITHOUT), "a", "1")
    assert codes(made) == ["DOMAIN_METADATA_NOT_SUPPORTED"]


def test_enabling_adds_the_feature(tmp_path: Path) -> None:
    made = plan_set_domain(draft_of(tmp_path, WITHOUT), "a", "1", enabling=True)
    assert made.protocol is not None
    assert "domainMetadata" in (made.protocol.writer_features or ())
    assert codes(made) == []


def test_the_tombstone_says_what_was_there(tmp_path: Path) -> None:
    made = plan_unset_domain(draft_of(tmp_path, [*WITH, KNOWN]), "app.x")
    assert domains(made) == [{"domain": "app.x", "configuration": "{ }", "removed": True}]


@pytest.mark.parametrize(("held", "text"), [({}, ""), ({"configuration": {"a": 1}}, '{"a":1}')])
def test_the_tombstone_of_what_is_no_text_has_one(tmp_path: Path, held: Action, text: str) -> None:
    odd = {"domainMetadata": {"domain": "app.x", "removed": False, **held}}
    made = plan_unset_domain(draft_of(tmp_path, [*WITH, odd]), "app.x")
    assert domains(made) == [{"domain": "app.x", "configuration": text, "removed": True}]


@pytest.mark.parametrize(("if_exists", "expected"), [(False, ["DOMAIN_NOT_FOUND"]), (True, [])])
def test_one_that_is_not_there(tmp_path: Path, if_exists: bool, expected: list[str]) -> None:
    made = plan_unset_domain(draft_of(tmp_path, [*WITH, KNOWN]), "app.y", if_exists=if_exists)
    assert (codes(made), made.is_empty) == (expected, True)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("delta.clustering", "SYSTEM_DOMAIN"),
        ("DELTA.x", "SYSTEM_DOMAIN"),
        (" ", "DOMAIN_NAME_EMPTY"),
    ],
)
def test_names_that_an_application_cannot_have(tmp_path: Path, name: str, code: str) -> None:
    draft = draft_of(tmp_path, WITH)
    plan_set_domain(draft, name, "1")
    assert codes(plan_unset_domain(draft, name)) == [code]

"""`domain set` and `domain unset`, from the command line to the log."""

import json
from pathlib import Path


def last(table: str) -> list[dict]:
    newest = max(Path(table, "_delta_log").glob("*.json"))
    return [json.loads(line) for line in newest.read_text().splitlines()]


def test_there_and_back(run, golden) -> None:
    table = golden("check_constraints_invariants")
    refused = run("domain", "set", table, "app.x", "{}")
    assert (refused.exit_code, "[DOMAIN_METADATA_NOT_SUPPORTED]" in refused.stderr) == (4, True)
    assert run("domain", "set", table, "app.x", '{"a": "ü"}', "--enable", "--yes").exit_code == 0
    info, protocol, domain = last(table)
    assert info["commitInfo"]["operation"] == "SET DOMAIN METADATA"
    assert info["commitInfo"]["operationParameters"] == {"domain": "app.x"}
    assert protocol["protocol"]["writerFeatures"] == [
        "appendOnly", "checkConstraints", "domainMetadata", "invariants",
    ]  # fmt: skip
    assert domain == {
        "domainMetadata": {"domain": "app.x", "configuration": '{"a": "ü"}', "removed": False}
    }
    shown = run("show", table, "-o", "json").document
    assert shown["domains"] == [{"domain": "app.x", "configuration": '{"a": "ü"}'}]
    assert "app.x" in run("show", table).stdout
    assert "Nothing to do" in run("domain", "set", table, "app.x", '{"a": "ü"}').stdout
    assert run("domain", "unset", table, "app.x").exit_code == 0
    assert last(table)[1] == {
        "domainMetadata": {"domain": "app.x", "configuration": '{"a": "ü"}', "removed": True}
    }
    assert run("show", table, "-o", "json").document["domains"] == []
    assert run("domain", "unset", table, "app.x").exit_code == 3
    assert run("domain", "unset", table, "app.x", "--if-exists").exit_code == 0

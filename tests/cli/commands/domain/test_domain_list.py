"""`domain list`: the domains that are there, of features and of applications."""


def test_domains(run, golden) -> None:
    table = golden("all_types")
    assert run("domain", "list", table).stdout == "The table has no domains.\n"
    run("domain", "set", table, "billing.lineage", '{"source": "crm"}', "--enable", "--yes")
    run("domain", "set", table, "audit", "by hand", "--yes")
    assert run("domain", "list", table).stdout.splitlines() == [
        "DOMAIN           OF              TEXT",
        "audit            an application  by hand",
        'billing.lineage  an application  {"source": "crm"}',
    ]
    run("domain", "unset", table, "audit")
    assert run("domain", "list", table, "-o", "json").document["domains"] == [
        {"domain": "billing.lineage", "system": False, "configuration": '{"source": "crm"}'}
    ]


def test_a_domain_of_a_feature(run, golden) -> None:
    table = golden("check_constraints_invariants")
    run("protocol", "enable", table, "rowTracking", "--yes")
    [row] = run("domain", "list", table, "-o", "json").document["domains"]
    assert (row["domain"], row["system"]) == ("delta.rowTracking", True)

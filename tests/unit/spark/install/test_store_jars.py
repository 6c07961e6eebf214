"""The jars for object stores: which they are, what they weigh, and what is said without them."""

from pathlib import Path

import pytest

from deltactl.errors import SparkError
from deltactl.spark.install.jar_list import jar_lists
from deltactl.spark.install.store_jars import (
    find_store_jars,
    has_connector,
    installed_kinds,
    store_jars,
)
from deltactl.spark.install.urls import MAVEN_CENTRAL
from deltactl.spark.install.versions import TESTED

[PAIR] = TESTED


@pytest.mark.parametrize(
    ("kind", "number", "size", "first"),
    [
        ("s3", 36, 12_858_213, "org/apache/hadoop/hadoop-aws/3.5.0/hadoop-aws-3.5.0.jar"),
        ("azure", 2, 817_578, "org/apache/hadoop/hadoop-azure/3.5.0/hadoop-azure-3.5.0.jar"),
        ("gcs", 1, 35_458_913, "org/apache/hadoop/hadoop-gcp/3.5.0/hadoop-gcp-3.5.0.jar"),
    ],
)
def test_what_they_weigh(kind, number, size, first) -> None:
    jars = jar_lists(PAIR)[kind]
    assert (len(jars), sum(jar.size for jar in jars), jars[0].path) == (number, size, first)
    assert {jar.store for jar in jars} == {kind}
    assert len({jar.path for jar in jars}) == len({jar.sha256 for jar in jars}) == number
    assert {len(jar.sha256) for jar in jars} == {64}


def test_the_bundle_of_the_sdk_is_left_out() -> None:
    names = {jar.name for jar in store_jars(PAIR, ["s3"])}
    assert "bundle-2.35.4.jar" not in names
    # What Hadoop's connector and its fast reader call by name.
    assert names >= {
        "s3-2.35.4.jar", "s3-transfer-manager-2.35.4.jar", "sts-2.35.4.jar",
        "apache-client-2.35.4.jar", "netty-nio-client-2.35.4.jar",
        "analyticsaccelerator-s3-1.3.1.jar",
    }  # fmt: skip


def test_stores_come_in_one_order() -> None:
    jars = store_jars(PAIR, ["gcs", "azure"])
    assert [jar.name for jar in jars] == [
        "hadoop-azure-3.5.0.jar",
        "HdrHistogram-2.1.12.jar",
        "hadoop-gcp-3.5.0.jar",
    ]
    assert store_jars(PAIR, []) == ()


def test_one_that_is_missing_is_named_with_its_remedy(tmp_path) -> None:
    with pytest.raises(SparkError) as caught:
        find_store_jars(PAIR, ["azure"], tmp_path, tmp_path / "spark", named=False)
    assert caught.value.code == "JARS_MISSING"
    assert caught.value.message == f"the jar hadoop-azure-3.5.0.jar is not in {tmp_path}"
    assert caught.value.hint == "deltactl spark install --azure"
    with pytest.raises(SparkError) as caught:
        find_store_jars(PAIR, ["gcs"], tmp_path, tmp_path / "spark", named=True)
    path = "org/apache/hadoop/hadoop-gcp/3.5.0/hadoop-gcp-3.5.0.jar"
    assert caught.value.hint == f"get it from {MAVEN_CENTRAL}/{path}"


def test_a_spark_with_a_connector_gets_no_second_one(tmp_path) -> None:
    own = tmp_path / "spark" / "jars" / "hadoop-aws-3.4.2.jar"
    own.parent.mkdir(parents=True)
    own.touch()
    assert has_connector("s3", tmp_path / "spark")
    assert not has_connector("gcs", tmp_path / "spark")
    found = find_store_jars(PAIR, ["s3"], tmp_path / "none", tmp_path / "spark", named=False)
    assert found == []


def test_what_was_begun_with(tmp_path: Path) -> None:
    assert installed_kinds(PAIR, tmp_path) == ()
    (tmp_path / "hadoop-gcp-3.5.0.jar").touch()
    (tmp_path / "utils-2.35.4.jar").touch()
    assert installed_kinds(PAIR, tmp_path) == ("s3", "gcs")

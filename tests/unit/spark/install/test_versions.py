import sys
from pathlib import Path

import pytest

from deltactl.errors import SparkError
from deltactl.spark.install.versions import VersionPair, installed_pair, spark_home

TESTED = VersionPair("4.2.0", "4.4.0")


def install(monkeypatch: pytest.MonkeyPatch, folder: Path, **versions: str) -> None:
    """Have Python find these packages, and no others, as installed."""
    for name, version in versions.items():
        info = folder / f"{name}-{version}.dist-info"
        info.mkdir()
        name = name.replace("_", "-")
        info.joinpath("METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    monkeypatch.setattr(sys, "path", [str(folder)])


def spark_in(folder: Path, version: str) -> Path:
    (folder / "jars").mkdir(parents=True)
    (folder / "jars" / f"spark-core_2.13-{version}.jar").touch()
    return folder


def test_the_tested_pair(monkeypatch, tmp_path) -> None:
    install(monkeypatch, tmp_path, pyspark="4.2.0", delta_spark="4.4.0")
    assert installed_pair() == TESTED


@pytest.mark.parametrize(
    ("spark", "delta"), [("4.2.0", "4.4.1"), ("4.3.0", "4.4.0"), ("3.5.1", "3.2.0")]
)
def test_another_pair_names_the_tested_one(monkeypatch, tmp_path, spark, delta) -> None:
    install(monkeypatch, tmp_path, pyspark=spark, delta_spark=delta)
    with pytest.raises(SparkError) as caught:
        installed_pair()
    assert caught.value.code == "SPARK_VERSIONS_UNTESTED"
    assert caught.value.exit_code == 9
    assert caught.value.message == (
        f"pyspark {spark} with delta-spark {delta} was not tested; "
        "tested: pyspark 4.2.0 with delta-spark 4.4.0"
    )
    assert caught.value.hint == "pip install pyspark==4.2.0 delta-spark==4.4.0"


def test_what_is_not_installed_is_named(monkeypatch, tmp_path) -> None:
    install(monkeypatch, tmp_path, pyspark="4.2.0")
    with pytest.raises(SparkError, match=r"^delta-spark is not installed$") as caught:
        installed_pair()
    assert (caught.value.code, caught.value.hint) == (
        "SPARK_NOT_INSTALLED",
        "pip install 'deltactl[spark]'",
    )
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(SparkError, match=r"^pyspark and delta-spark are not installed$"):
        installed_pair()


def test_a_spark_home_of_the_same_version_is_used(tmp_path) -> None:
    home = spark_in(tmp_path / "spark", "4.2.0")
    assert spark_home({"SPARK_HOME": str(home)}, TESTED) == home


def test_a_spark_home_of_another_version_is_refused(tmp_path) -> None:
    home = spark_in(tmp_path / "spark", "3.5.1")
    with pytest.raises(SparkError) as caught:
        spark_home({"SPARK_HOME": str(home)}, TESTED)
    assert caught.value.code == "SPARK_HOME_DIFFERS"
    assert caught.value.message == f"SPARK_HOME={home} is Spark 3.5.1, and pyspark is 4.2.0"
    assert caught.value.hint == "unset SPARK_HOME: pyspark brings a Spark of its own"


def test_a_spark_home_without_a_spark_is_refused(tmp_path) -> None:
    with pytest.raises(SparkError, match="holds no Spark"):
        spark_home({"SPARK_HOME": str(tmp_path)}, TESTED)

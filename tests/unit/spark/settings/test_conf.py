from pathlib import Path

import pytest

from deltactl.changes.jobs import Job
from deltactl.errors import InvalidUsageError
from deltactl.spark.settings.conf import (
    Launch,
    check_wanted,
    driver_variables,
    not_counting,
    properties,
    site_conf,
    spark_conf,
)

JARS = [Path("/c/delta-spark.jar"), Path("/c/delta-storage.jar")]


def conf(master: str, files: int = 1, size: int = 1, **wanted: str) -> dict[str, str]:
    job = Job("some_job", {}, "", files, size)
    return spark_conf(job, master=master, jars=JARS, scratch=Path("/t"), wanted=wanted)


def test_a_small_table_on_this_machine() -> None:
    assert conf("local[*]") == {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.app.name": "deltactl some_job",
        "spark.jars": "/c/delta-spark.jar,/c/delta-storage.jar",
        "spark.sql.warehouse.dir": "/t/warehouse",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "2",
    }


@pytest.mark.parametrize(("files", "size"), [(10_001, 1), (1, (1 << 30) + 1)])
def test_a_large_one_keeps_the_partitions_and_gets_memory(files: int, size: int) -> None:
    found = conf("local[4]", files, size)
    assert "spark.sql.shuffle.partitions" not in found
    assert "spark.databricks.delta.snapshotPartitions" not in found
    assert found["spark.driver.memory"].removesuffix("g") in "12345678"


def test_a_cluster_reaches_the_driver_and_is_told_nothing_of_memory() -> None:
    found = conf("spark://h:7077", 20_000)
    assert not found.keys() & {"spark.driver.host", "spark.driver.bindAddress"}
    assert "spark.driver.memory" not in found


def test_what_the_user_sets_wins() -> None:
    found = conf("local", **{"spark.sql.shuffle.partitions": "9", "spark.x": "y"})
    assert (found["spark.sql.shuffle.partitions"], found["spark.x"]) == ("9", "y")


EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"


def test_lists_are_added_to_deltas_own() -> None:
    wanted = {
        "spark.jars": "/mine.jar, /c/delta-storage.jar",
        "spark.sql.extensions": "org.example.Mine",
        "spark.jars.packages": "org.example:mine:1",
    }
    found = conf("local", **wanted)
    assert found["spark.jars"] == "/c/delta-spark.jar,/c/delta-storage.jar,/mine.jar"
    assert found["spark.sql.extensions"] == f"{EXTENSION},org.example.Mine"
    assert found["spark.jars.packages"] == "org.example:mine:1"


@pytest.mark.parametrize("line", ["{} /site.jar", "  {}=/site.jar", "{}: /site.jar  "])
def test_lists_of_the_site_are_added_where_the_user_sets_none(tmp_path: Path, line: str) -> None:
    for folder in (tmp_path / "home" / "conf", tmp_path / "site"):
        folder.mkdir(parents=True)
    file = tmp_path / "site" / "spark-defaults.conf"
    file.write_text(f"# spark.jars /not\n{line.format('spark.jars')}\nspark.x y\n")
    environ = {"SPARK_CONF_DIR": str(tmp_path / "site")}
    site = site_conf(tmp_path / "home", environ)
    assert site == {"spark.jars": "/site.jar"}
    assert site_conf(tmp_path / "home", {}) == {}
    file.rename(tmp_path / "home" / "conf" / "spark-defaults.conf")
    assert site_conf(tmp_path / "home", {}) == site
    job, scratch = Job("j", {}, ""), Path("/t")
    found = spark_conf(job, master="yarn", jars=JARS, scratch=scratch, wanted={}, site=site)
    assert found["spark.jars"] == "/c/delta-spark.jar,/c/delta-storage.jar,/site.jar"
    own = {"spark.jars": "/mine.jar"}
    found = spark_conf(job, master="yarn", jars=JARS, scratch=scratch, wanted=own, site=site)
    assert found["spark.jars"] == "/c/delta-spark.jar,/c/delta-storage.jar,/mine.jar"


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("spark.master", "yarn", "--master URL"),
        ("spark.remote", "sc://h", "--remote sc://HOST:PORT"),
        ("spark.submit.deployMode", "cluster", "run deltactl on a machine of the cluster "),
        (
            "spark.sql.catalog.spark_catalog",
            "io.unitycatalog.spark.UCSingleCatalog",
            "leave spark.sql.catalog.spark_catalog out of --spark-conf",
        ),
    ],
)
def test_what_would_not_count_is_refused(key: str, value: str, hint: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        check_wanted({key: value})
    assert (caught.value.code, caught.value.exit_code) == ("SPARK_CONF_IGNORED", 2)
    assert (caught.value.hint or "").startswith(hint)
    delta = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    check_wanted({"spark.submit.deployMode": "client", "spark.sql.catalog.spark_catalog": delta})


@pytest.mark.parametrize(
    ("master", "wanted", "args", "said"),
    [
        ("local[*]", {"spark.x": "y"}, None, []),
        ("local[*]", {}, " pyspark-shell ", []),
        ("local[*]", {}, "--jars /my.jar pyspark-shell", ["PYSPARK_SUBMIT_ARGS does not count"]),
        ("yarn", {}, "--packages a:b:1 pyspark-shell", ["PYSPARK_SUBMIT_ARGS does not count"]),
        ("sc://h:15002", {}, "--jars /my.jar pyspark-shell", []),
        ("sc://h:15002", {"spark.x": "y"}, None, ["Spark properties do not count with --remote"]),
    ],
)
def test_what_does_not_count_is_told(
    master: str, wanted: dict[str, str], args: str | None, said: list[str]
) -> None:
    environ = {} if args is None else {"PYSPARK_SUBMIT_ARGS": args}
    found = list(not_counting(master, wanted, environ))
    assert [text[: len(start)] for text, start in zip(found, said, strict=True)] == said


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a b", r"k=a\ b"),
        ("C:\\x", r"k=C\:\\x"),
        ("a=b#c!", r"k=a\=b\#c\!"),
        ("a\nb\tc\r", r"k=a\nb\tc\r"),
        ("ä", "k=ä"),
        ("", "k="),
    ],
)
def test_properties_as_java_reads_them(value: str, text: str) -> None:
    assert properties({"k": value}) == f"{text}\n"


LOG4J = "-Dlog4j2.configurationFile=file:///t/log4j2.properties"


@pytest.mark.parametrize(
    ("master", "files", "environ", "expected"),
    [
        (
            "local[*]",
            1,
            {},
            {
                "SPARK_SUBMIT_OPTS": f"{LOG4J} -XX:TieredStopAtLevel=1",
                "SPARK_LOCAL_IP": "127.0.0.1",
            },
        ),
        (
            "spark://h:7077",
            20_000,
            {"SPARK_SUBMIT_OPTS": "-Dx=1"},
            {"SPARK_SUBMIT_OPTS": f"-Dx=1 {LOG4J}"},
        ),
    ],
)
def test_options_for_the_jvm_are_added_to_those_of_the_user(
    master: str, files: int, environ: dict[str, str], expected: dict[str, str]
) -> None:
    job, log4j = Job("j", {}, "", files=files), Path("/t/log4j2.properties")
    found = driver_variables(job, master=master, log4j=log4j, environ=environ)
    assert found == expected


def test_the_command_line_holds_no_settings() -> None:
    launch = Launch(Path("/spark"), "spark://h:7077", Path("/t/spark.properties"), {})
    assert launch.options() == [
        "--master", "spark://h:7077", "--deploy-mode", "client",
        "--properties-file", "/t/spark.properties", "--load-spark-defaults",
    ]  # fmt: skip

import os
from pathlib import Path
from typing import Any

import pytest
from small_tables import LEGACY, field, metadata, write_log

from deltactl.cli.config.config import config_files, config_folder, read
from deltactl.cli.config.settings import Alias, is_secret, parse_timeout
from deltactl.cli.config.trust import record
from deltactl.cli.global_options import Invocation
from deltactl.cli.session import Session
from deltactl.errors import InvalidUsageError
from deltactl.spark.install.urls import MAVEN_CENTRAL
from deltactl.storage.options.option_rows import ROWS
from deltactl.storage.options.options import variables_beside


@pytest.fixture(autouse=True)
def _no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in variables_beside({}, os.environ):
        monkeypatch.delenv(name)


def project(text: str) -> Path:
    path = Path.cwd() / "deltactl.toml"
    path.write_text(text, encoding="utf-8")
    return path


def trusted(text: str) -> Path:
    path = project(text)
    record(str(path), path.read_bytes(), config_folder(os.environ))
    return path


def user(text: str) -> Path:
    path = Path(os.environ["XDG_CONFIG_HOME"]) / "deltactl" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


def settings(flags: dict[str, Any] | None = None, table: str | None = None) -> Any:
    return read(flags or {}, os.environ, os.getcwd()).settings(table)


def test_default() -> None:
    found = settings()
    assert (found.output, found.quiet, found.timeout, found.profile) == ("text", False, 60.0, None)
    assert found.origins["output"] == "default"


def test_flag_beats_environment_beats_profile_beats_top_level(monkeypatch) -> None:
    path = project('timeout = "4s"\n[profiles.p]\ntimeout = "3s"\n')
    user('timeout = "5s"\nprofile = "p"\n')
    assert settings().timeout == 3.0
    assert settings().origins["timeout"] == f"{path} [profiles.p]"
    monkeypatch.setenv("DELTACTL_TIMEOUT", "2s")
    assert settings().timeout == 2.0
    assert settings().origins["timeout"] == "DELTACTL_TIMEOUT"
    assert settings({"timeout": 1.0}).timeout == 1.0
    assert settings({"timeout": 1.0}).origins["timeout"] == "command line"


def test_the_project_beats_the_user() -> None:
    project('output = "json"')
    path = user('output = "ndjson"\nquiet = true')
    found = settings()
    assert (found.output, found.quiet) == ("json", True)
    assert found.origins["quiet"] == str(path)


def test_the_nearest_file_above_is_the_project(monkeypatch) -> None:
    path = project('output = "json"')
    below = Path("a/b")
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert config_files(os.environ, os.getcwd()) == [str(path)]
    assert settings().output == "json"


def test_storage_options_are_merged_key_by_key(monkeypatch) -> None:
    trusted(
        '[storage-options]\nA = "file"\nB = "file"\nC = true\nD = 5\n'
        '[profiles.p.storage-options]\nB = "p"'
    )
    monkeypatch.setenv("DELTACTL_STORAGE_OPTION_E", "env")
    found = settings({"profile": "p", "storage-options": {"F": "flag"}})
    assert found.storage_options == {
        "A": "file", "B": "p", "C": "true", "D": "5", "E": "env", "F": "flag",
    }  # fmt: skip
    assert found.origins["storage-options.E"] == "DELTACTL_STORAGE_OPTION_E"
    assert found.origins["storage-options.F"] == "command line"


def test_of_two_spellings_of_an_option_the_nearer_one_comes_last(monkeypatch) -> None:
    trusted('[storage-options]\nregion = "file"\n[profiles.p.storage-options]\nAWS_REGION = "p"')
    assert list(settings({"profile": "p"}).storage_options) == ["region", "AWS_REGION"]
    found = settings({"profile": "p", "storage-options": {"region": "flag"}})
    assert list(found.storage_options.items()) == [("AWS_REGION", "p"), ("region", "flag")]


def test_every_secret_of_a_store_is_one_for_config_show() -> None:
    names = {
        n for rows in ROWS.values() for row in rows if row.secret for n in (row.name, *row.also)
    }
    assert len(names) > 20
    assert {name for name in names if not is_secret(name)} == set()


def test_paths_of_tables_are_relative_to_the_file(monkeypatch) -> None:
    path = project('[tables]\na = "data/a"\nb = "s3://lake/b"\nc = "~/c"\nd = "/d"\n')
    Path("below").mkdir()
    monkeypatch.chdir("below")
    assert {name: alias.uri for name, alias in settings().tables.items()} == {
        "a": str(path.parent / "data/a"),
        "b": "s3://lake/b",
        "c": f"{os.environ['HOME']}/c",
        "d": "/d",
    }


def test_no_color_is_honoured(monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert settings().no_color is True
    assert settings().origins["no-color"] == "NO_COLOR"
    monkeypatch.setenv("DELTACTL_NO_COLOR", "false")
    assert settings().no_color is False


@pytest.mark.parametrize(
    ("text", "code", "where", "message"),
    [
        ("a = = 1", "CONFIG_NOT_TOML", "", "at line 1"),
        ("\n[tables\n", "CONFIG_NOT_TOML", "", "at line 2"),
        ('x = "a"', "CONFIG_KEY_UNKNOWN", ":1", "no setting 'x'"),
        ('# output\n\noutpt = "json"', "CONFIG_KEY_UNKNOWN", ":3", "no setting 'outpt'"),
        (
            "[profiles.p]\nquiet = true\nprofile = ''",
            "CONFIG_KEY_UNKNOWN",
            ":3",
            "profiles.p.profile",
        ),
        (
            'output = "xml"',
            "CONFIG_INVALID",
            ":1",
            "output = 'xml' is not one of text, json, ndjson",
        ),
        ("quiet = 'maybe'", "CONFIG_INVALID", ":1", "'maybe' is neither true nor false"),
        ("timeout = -1", "CONFIG_INVALID", ":1", "'-1' is not a time"),
        ("timeout = [1]", "CONFIG_INVALID", ":1", "takes one text, number, or true or false"),
        ("tables = 3", "CONFIG_INVALID", ":1", "tables is a table of names"),
        ("[tables]\na = 'x'\nb = {}", "CONFIG_INVALID", ":3", "tables.b takes one text"),
        ("tables = { a = [] }", "CONFIG_INVALID", ":1", "tables.a takes one text"),
        (
            "[tables]\na = { profile = 'p' }",
            "CONFIG_INVALID",
            ":2",
            "tables.a takes one text, or {",
        ),
        ("[tables]\na = { uri = [] }", "CONFIG_INVALID", ":2", "tables.a.uri takes one text"),
        (
            "[tables.a]\nuri = 'x'\nprofile = 3",
            "CONFIG_INVALID",
            ":3",
            "tables.a.profile takes the name of a profile",
        ),
        (
            "[profiles.p.tables]\na = { uri = 'x', profil = 'p' }",
            "CONFIG_KEY_UNKNOWN",
            ":2",
            "no key 'profil' in profiles.p.tables.a",
        ),
        ("profiles = 3", "CONFIG_INVALID", ":1", "profiles is a table of profiles"),
        ("[profiles]\np = 1", "CONFIG_INVALID", ":2", "profiles.p is a table of settings"),
    ],
)
def test_a_bad_file_is_named_with_its_line(text, code, where, message) -> None:
    path = project(text)
    with pytest.raises(InvalidUsageError) as caught:
        settings()
    assert caught.value.code == code
    assert caught.value.message.startswith(f"{path}{where}: ")
    assert message in caught.value.message
    assert caught.value.exit_code == 2


def test_an_unknown_key_has_a_suggestion() -> None:
    project('storage-option = "x"')
    with pytest.raises(InvalidUsageError) as caught:
        settings()
    assert caught.value.hint == "did you mean storage-options?"


def test_an_unknown_key_of_an_alias_has_a_suggestion() -> None:
    project("[tables]\na = { uri = 'x', profil = 'p' }")
    with pytest.raises(InvalidUsageError) as caught:
        settings()
    assert caught.value.hint == "did you mean profile?"


OF_TWO_PROFILES = """\
profile = "usual"
[tables]
a = { uri = "a", profile = "prod" }
b = "b"
[storage-options]
REGION = "top"
ZONE = "top"
[profiles.usual]
timeout = "2s"
storage-options = { REGION = "usual" }
[profiles.prod]
timeout = "3s"
output = "json"
no-progress = true
storage-options = { REGION = "prod" }
spark-conf = { memory = "2g" }
tables = { a = "elsewhere" }
"""


def test_a_table_has_the_settings_of_its_profile() -> None:
    path = trusted(OF_TWO_PROFILES)
    found = settings(table="a")
    assert (found.timeout, found.profile) == (3.0, "prod")
    assert found.storage_options == {"REGION": "prod", "ZONE": "top"}
    assert found.spark_conf == {"memory": "2g"}
    assert found.origins["timeout"] == f"{path} [profiles.prod]"
    assert settings(table="b").timeout == settings(table="./a").timeout == 2.0
    assert settings(table="b").storage_options == {"REGION": "usual", "ZONE": "top"}


def test_how_results_are_printed_is_not_a_table_s_matter() -> None:
    path = project(OF_TWO_PROFILES)
    found = settings(table="a")
    assert (found.output, found.no_progress) == ("text", False)
    assert found.origins["output"] == "default"
    assert found.tables["a"].uri == str(path.parent / "a")


def test_a_profile_that_is_given_beats_that_of_a_table(monkeypatch) -> None:
    project(OF_TWO_PROFILES)
    assert settings({"profile": "usual"}, table="a").timeout == 2.0
    assert settings({"profile": ""}, table="a").timeout == 60.0
    assert settings({"timeout": 9.0}, table="a").timeout == 9.0
    monkeypatch.setenv("DELTACTL_PROFILE", "usual")
    assert settings(table="a").timeout == 2.0
    assert settings({"profile": "prod"}, table="a").timeout == 3.0


def test_a_table_with_an_unknown_profile(run) -> None:
    path = project("[tables]\na = { uri = 'x', profile = 'prd' }\nb = 'b'\n[profiles.prod]\n")
    result = run("show", "a")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"error: {path}:2: the table 'a' has the profile 'prd', which is in no file"
        " [PROFILE_UNKNOWN]",
        "hint: did you mean prod?",
    ]
    assert run("schema", "diff", "b", "a").exit_code == 3  # b is missing, and comes first
    assert run("show", "a", "--profile", "prod").exit_code == 3
    assert run("config", "show").exit_code == 0


def test_a_second_table_has_its_own_profile() -> None:
    trusted(OF_TWO_PROFILES)
    session = Session(Invocation(table="b"))
    assert session.settings.timeout == session.store_settings("b").timeout == 2.0
    assert session.store_settings("a")[:2] == ({"REGION": "prod", "ZONE": "top"}, 3.0)
    assert session.table_uri("a") == str(Path.cwd() / "a")


def test_the_profile_of_a_table_goes_for_all_that_its_command_does(run) -> None:
    project("[tables]\na = { uri = 'a', profile = 'p' }\n[profiles.p]\ntimeout = '7s'")
    invocation = Invocation(table="a")
    assert Session(invocation).settings.timeout == 7.0
    assert Session(Invocation()).settings.timeout == 60.0


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("s3://lake/a", "s3://lake/a"),
        ("s3://AKIA:x1@lake/a", "s3://lake/a"),
        ("az://c/a?sv=2&sig=x1%3D&se=3", "az://c/a?sv=2&sig=****&se=3"),
        ("https://h/a?X-Amz-Signature=x1", "https://h/a?X-Amz-Signature=****"),
        ("/data/a?sig=b@c", "/data/a?sig=b@c"),
        ("gs://lake/day=2024-01-01/t@v1", "gs://lake/day=2024-01-01/t@v1"),
    ],
)
def test_what_is_shown_of_a_place(uri: str, expected: str) -> None:
    assert Alias(uri).shown == expected


def test_the_name_of_a_place() -> None:
    project('[tables]\na = "s3://lake/a"\nb = "b"')
    session = Session(Invocation())
    assert session.name_of("s3://lake/a") == "a"
    assert session.name_of(str(Path.cwd() / "b")) == "b"
    assert session.name_of("s3://lake/c") is None


def test_a_saved_plan_has_the_profile_of_its_table_s_name(run) -> None:
    project("[tables]\na = { uri = 'a', profile = 'p' }\n[profiles.p]\ntimeout = '3s'")
    Path("a").mkdir()
    write_log(Path("a"), [[LEGACY, metadata(field("id", "long"))]])
    assert run("property", "set", "a", "x=1", "--plan-out", "plan", "--dry-run").exit_code == 0
    Path("deltactl.toml").write_text("[tables]\na = { uri = 'a', profile = 'q' }")
    assert "[PROFILE_UNKNOWN]" in run("apply", "plan").stderr
    assert run("apply", "plan", "--profile", "").exit_code == 0


def test_a_saved_plan_takes_no_profile_by_chance(run) -> None:
    project(
        "[tables]\na = { uri = 'a', profile = 'p' }\nb = { uri = './a/', profile = 'q' }\nc = 'a'\n"
        "[profiles.p]\ntimeout = '3s'\n[profiles.q]\n"
    )
    Path("a").mkdir()
    write_log(Path("a"), [[LEGACY, metadata(field("id", "long"))]])
    assert run("property", "set", "a", "x=1", "--plan-out", "plan", "--dry-run").exit_code == 0
    refused = run("apply", "plan")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == (
        f"error: the table {Path.cwd()}/a has several names in [tables], and their profiles "
        "differ: a with the profile p, b with the profile q, c with none [PROFILE_AMBIGUOUS]\n"
        "hint: say which profile is meant: --profile NAME\n"
    )
    assert run("apply", "plan", "--profile", "q").exit_code == 0


def test_names_of_one_place_with_one_profile(run) -> None:
    project(
        "[tables]\na = { uri = 's3://lake/a', profile = 'p' }\n"
        "b = { uri = 's3://lake/a/', profile = 'p' }\n[profiles.p]\n"
    )
    assert Session(Invocation()).name_of("s3://lake/a") == "a"


def test_show_names_the_profile_of_a_table(run) -> None:
    project("[tables]\na = { uri = 's3://me:x1@lake/t', profile = 'p' }\n[profiles.p]\n")
    document = run("config", "show", "-o", "json").document
    assert [(row["name"], row["value"]) for row in document["settings"][-2:]] == [
        ("tables.a", "s3://lake/t"),
        ("tables.a.profile", "p"),
    ]


def test_a_file_that_is_not_text(run) -> None:
    path = Path("deltactl.toml")
    path.write_bytes(b"\xff\xfe")
    result = run("config", "show")
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: cannot read {Path.cwd() / path}: it is not UTF-8 [CONFIG_UNREADABLE]\n"
    )


def test_an_unknown_profile(run) -> None:
    path = project("[profiles.prod]\nquiet = true")
    result = run("config", "show", "--profile", "prd")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"error: no profile 'prd' in {path} [PROFILE_UNKNOWN]",
        "hint: did you mean prod?",
    ]


def test_a_profile_without_any_file(run) -> None:
    result = run("config", "show", "--profile", "prod")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "error: no profile 'prod' in any file: there is no deltactl.toml here or above "
        "[PROFILE_UNKNOWN]",
        "hint: a profile is a table [profiles.prod] in deltactl.toml, here or above, or in "
        "~/.config/deltactl/config.toml",
    ]


def test_a_bad_variable(run, monkeypatch) -> None:
    monkeypatch.setenv("DELTACTL_QUIET", "perhaps")
    result = run("config", "show")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: DELTACTL_QUIET: 'perhaps' is neither true nor false [ENVIRONMENT_INVALID]\n"
    )


def test_show(run, valid_document, monkeypatch) -> None:
    path = trusted(
        'master = "sc://h:1/;token=x1"\njars = "jars"\n[tables]\nt = "s3://lake/t"\n'
        '[storage-options]\nAWS_SECRET_ACCESS_KEY = "x1"\n'
        '[spark-conf]\n"spark.executor.memory" = "2g"\n"spark.hadoop.fs.s3a.secret.key" = "x1"'
    )
    monkeypatch.setenv("DELTACTL_QUIET", "yes")
    result = run("config", "show", "--timeout", "2m")
    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["SETTING", "VALUE", "FROM"],
        ["profile", "-", "default"],
        ["output", "text", "default"],
        ["quiet", "true", "DELTACTL_QUIET"],
        ["verbose", "false", "default"],
        ["color", "auto", "default"],
        ["no-color", "false", "default"],
        ["no-progress", "false", "default"],
        ["no-pager", "false", "default"],
        ["timeout", "120s", "command", "line"],
        ["engine", "auto", "default"],
        ["master", "sc://h:1", str(path)],
        ["jars", str(path.parent / "jars"), str(path)],
        ["timeout-job", "-", "default"],
        ["spark-log", "-", "default"],
        ["mirror", MAVEN_CENTRAL, "default"],
        ["storage-options.AWS_SECRET_ACCESS_KEY", "****", str(path)],
        ["spark-conf.spark.executor.memory", "2g", str(path)],
        ["spark-conf.spark.hadoop.fs.s3a.secret.key", "****", str(path)],
        ["tables.t", "s3://lake/t", str(path)],
    ]
    document = valid_document("config show", run("config", "show", "-o", "json").stdout)
    assert document["files"] == [str(path)]
    assert document["settings"][-1] == {
        "name": "tables.t",
        "value": "s3://lake/t",
        "origin": str(path),
        "ignored": False,
    }
    assert "x1" not in run("config", "show", "-o", "ndjson").stdout


STORE = {
    "AWS_ACCESS_KEY_ID": "theirs",
    "AWS_SECRET_ACCESS_KEY": "x1",
    "AWS_REGION": "eu-west-1",
    "AWS_ENDPOINT_URL": "https://me:x1@minio:9000",
    "HDFS_DELEGATION_TOKEN": "x1",
}


def options_shown(run, valid_document, *args: str) -> list[tuple[str, str, str]]:
    document = valid_document("config show", run("config", "show", *args, "-o", "json").stdout)
    return [
        (row["name"].removeprefix("storage-options."), row["value"], row["origin"])
        for row in document["settings"]
        if row["name"].startswith("storage-options.")
    ]


def test_show_what_stores_read_from_the_environment(run, valid_document, monkeypatch) -> None:
    for name, value in STORE.items():
        monkeypatch.setenv(name, value)
    assert options_shown(run, valid_document, "--storage-option", "AZURE_USE_EMULATOR=true") == [
        ("AZURE_USE_EMULATOR", "true", "command line"),
        ("AWS_ACCESS_KEY_ID", "theirs", "AWS_ACCESS_KEY_ID"),
        ("AWS_SECRET_ACCESS_KEY", "****", "AWS_SECRET_ACCESS_KEY"),
        ("AWS_REGION", "eu-west-1", "AWS_REGION"),
        ("AWS_ENDPOINT_URL", "https://minio:9000", "AWS_ENDPOINT_URL"),
        ("HDFS_DELEGATION_TOKEN", "****", "HDFS_DELEGATION_TOKEN"),
    ]
    for output in ("text", "ndjson"):
        shown = run("config", "show", "-o", output).stdout
        assert "storage-options.AWS_REGION" in shown
        assert "x1" not in shown


def test_show_what_beats_the_environment(run, valid_document, monkeypatch) -> None:
    for name, value in STORE.items():
        monkeypatch.setenv(name, value)
    path = trusted('[profiles.p.storage-options]\nAWS_PROFILE = "lake"\nendpoint = "http://a"\n')
    given = ("--profile", "p", "--storage-option", "region=us-east-1")
    assert options_shown(run, valid_document, *given) == [
        ("AWS_PROFILE", "lake", f"{path} [profiles.p]"),
        ("endpoint", "http://a", f"{path} [profiles.p]"),
        ("region", "us-east-1", "command line"),
        ("HDFS_DELEGATION_TOKEN", "****", "HDFS_DELEGATION_TOKEN"),
    ]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("AWS_SECRET_ACCESS_KEY", True),
        ("aws_session_token", True),
        ("AZURE_STORAGE_ACCOUNT_KEY", True),
        ("AZURE_STORAGE_SAS_TOKEN", True),
        ("azure_client_secret", True),
        ("PASSWORD", True),
        ("AWS_ACCESS_KEY_ID", False),
        ("GOOGLE_APPLICATION_CREDENTIALS_PATH", False),
        ("AWS_REGION", False),
    ],
)
def test_what_is_a_secret(key: str, expected: bool) -> None:
    assert is_secret(key) is expected


@pytest.mark.parametrize(
    ("text", "expected"), [("90", 90.0), ("1.5", 1.5), ("30s", 30.0), ("2m", 120.0), ("1h", 3600.0)]
)
def test_times(text: str, expected: float) -> None:
    assert parse_timeout(text) == expected


@pytest.mark.parametrize("text", ["", "0", "-1", "1d", "1e9", "nan", "inf", "٣", "9" * 40])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        parse_timeout(text)


def test_pysparks_own_variable_counts_where_nothing_else_says_where_spark_runs(
    run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def master() -> str:
        lines = run("config", "show").stdout.splitlines()
        return " ".join(next(line for line in lines if line.startswith("master")).split()[1:])

    monkeypatch.setenv("SPARK_REMOTE", "sc://host:15002")
    assert master() == "sc://host:15002 SPARK_REMOTE"
    own = Path(os.environ["XDG_CONFIG_HOME"], "deltactl", "config.toml")
    own.parent.mkdir(parents=True)
    own.write_text('master = "yarn"\n')
    assert master().startswith("yarn ")
    monkeypatch.setenv("DELTACTL_MASTER", "local[2]")
    assert master() == "local[2] DELTACTL_MASTER"
    for name in ("DELTACTL_MASTER", "SPARK_REMOTE"):
        monkeypatch.delenv(name)
    own.unlink()
    # A server that Spark itself would start: for us the default.
    monkeypatch.setenv("SPARK_REMOTE", "local[*]")
    assert master() == "local[*] default"
    monkeypatch.setenv("SPARK_REMOTE", "sc:///")
    result = run("config", "show")
    assert (result.exit_code, "[ENVIRONMENT_INVALID]" in result.stderr) == (2, True)

import os
from pathlib import Path
from typing import Any

import pytest

from deltactl.cli.config import config_files, resolve
from deltactl.cli.settings import is_secret, parse_timeout
from deltactl.errors import InvalidUsageError


def project(text: str) -> Path:
    path = Path.cwd() / "deltactl.toml"
    path.write_text(text, encoding="utf-8")
    return path


def user(text: str) -> Path:
    path = Path(os.environ["XDG_CONFIG_HOME"]) / "deltactl" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


def settings(flags: dict[str, Any] | None = None) -> Any:
    return resolve(flags or {}, os.environ, os.getcwd())


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
    project(
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


def test_paths_of_tables_are_relative_to_the_file(monkeypatch) -> None:
    path = project('[tables]\na = "data/a"\nb = "s3://lake/b"\nc = "~/c"\nd = "/d"\n')
    Path("below").mkdir()
    monkeypatch.chdir("below")
    assert settings().tables == {
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
        ('output = "xml"', "CONFIG_INVALID", ":1", "output = 'xml' is none of text, json, ndjson"),
        ("quiet = 'maybe'", "CONFIG_INVALID", ":1", "'maybe' is neither true nor false"),
        ("timeout = -1", "CONFIG_INVALID", ":1", "'-1' is not a time"),
        ("timeout = [1]", "CONFIG_INVALID", ":1", "takes one text, number, or true or false"),
        ("tables = 3", "CONFIG_INVALID", ":1", "tables is a table of names"),
        ("[tables]\na = 'x'\nb = {}", "CONFIG_INVALID", ":3", "tables.b takes one text"),
        ("tables = { a = [] }", "CONFIG_INVALID", ":1", "tables.a takes one text"),
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
    assert "there is no deltactl.toml here or above" in result.stderr


def test_a_bad_variable(run, monkeypatch) -> None:
    monkeypatch.setenv("DELTACTL_QUIET", "perhaps")
    result = run("config", "show")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: DELTACTL_QUIET: 'perhaps' is neither true nor false [ENVIRONMENT_INVALID]\n"
    )


def test_show(run, valid_document, monkeypatch) -> None:
    path = project(
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
        ["no-color", "false", "default"],
        ["no-progress", "false", "default"],
        ["timeout", "120s", "command", "line"],
        ["engine", "auto", "default"],
        ["master", "sc://h:1", str(path)],
        ["jars", str(path.parent / "jars"), str(path)],
        ["mirror", "https://repo1.maven.org/maven2", "default"],
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
    }
    assert "x1" not in run("config", "show", "-o", "ndjson").stdout


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

"""Project files that the user trusts, does not trust yet, or cannot trust."""

import os
import struct
import time
from pathlib import Path
from typing import Any

import pytest
from needs import do_without

from deltactl.cli.config.config import config_folder, read
from deltactl.cli.config.settings import SETTINGS
from deltactl.cli.config.trust import others_may_change
from deltactl.storage.options.option_rows import ROWS

# Each setting with a value that is not its default, and whether it counts from any file.
KINDS = {
    "profile": ("p", True),
    "output": ("json", True),
    "quiet": ("true", True),
    "verbose": ("true", True),
    "color": ("always", True),
    "no-color": ("true", True),
    "no-progress": ("true", True),
    "no-pager": ("true", True),
    "timeout": ("7s", True),
    "engine": ("local", True),
    "master": ("spark://h:1", False),
    "jars": ("jars", False),
    "timeout-job": ("7s", True),
    "spark-log": ("spark.log", False),
    "mirror": ("https://h/m", False),
}
ROW_NAMES = [row.name for rows in ROWS.values() for row in rows]
SPELLINGS = sorted({n for rows in ROWS.values() for row in rows for n in (row.name, *row.also)})
HARMLESS = {"AWS_REGION", "AWS_DEFAULT_REGION", "region", "default_region"}


def project(text: str) -> str:
    path = Path.cwd() / "deltactl.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def settings(**flags: Any) -> Any:
    return read({name.replace("_", "-"): v for name, v in flags.items()}, os.environ, os.getcwd())


@pytest.fixture
def as_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this process were of a user who owns none of the files here."""
    mine = os.lstat

    def owned(place: str) -> os.stat_result:
        found = mine(place)
        return os.stat_result((*found[:4], found.st_uid or 1000, *found[5:]))

    monkeypatch.setattr(os, "lstat", owned)
    monkeypatch.setattr(os, "geteuid", lambda: 4242)


def test_the_table_has_every_setting() -> None:
    assert KINDS.keys() == SETTINGS.keys()
    assert {name: row.harmless for name, row in SETTINGS.items()} == {
        name: harmless for name, (_, harmless) in KINDS.items()
    }


@pytest.mark.parametrize("name", KINDS)
def test_a_setting_of_a_stranger(name: str) -> None:
    value, harmless = KINDS[name]
    path = project(f'{name} = "{value}"\n[profiles.p]\n')
    found = settings()
    effective = found.settings()
    assert effective.origins[name] == (path if harmless else "default")
    assert [file.names for file in found.distrusted] == ([] if harmless else [[name]])
    assert settings(trust_config="deltactl.toml").settings().origins[name] == path


@pytest.mark.parametrize("name", [*SPELLINGS, "HDFS_HTTP_ADDRESS", "HADOOP_USER_NAME", "x"])
def test_an_option_of_a_store_of_a_stranger(name: str) -> None:
    project(f'[storage-options]\n"{name}" = "/v"\n')
    found = settings()
    assert found.settings().storage_options == ({name: "/v"} if name in HARMLESS else {})
    wanted = [] if name in HARMLESS else [[f"storage-options.{name}"]]
    assert [file.names for file in found.distrusted] == wanted
    trusted = settings(trust_config="deltactl.toml")
    assert trusted.settings().storage_options == {name: "/v"}


def test_a_property_of_spark_of_a_stranger() -> None:
    project('[spark-conf]\n"spark.jars" = "x.jar"\n[profiles.p.spark-conf]\na = "1"\n')
    found = settings(profile="p")
    assert found.settings().spark_conf == {}
    assert found.distrusted[0].names == ["spark-conf.spark.jars", "profiles.p.spark-conf.a"]


@pytest.mark.parametrize(
    ("uri", "counts"),
    [
        ("data/t", True),
        ("file:///data/t", True),
        ("s3://lake/t", True),
        ("gs://lake/t", True),
        ("az://c/t", True),
        ("abfss://c@acct.dfs.core.windows.net/t", True),
        ("abfss://c@acct.z12.dfs.storage.azure.net/t", True),
        ("abfss://ws@onelake.dfs.fabric.microsoft.com/t", True),
        ("hdfs:///t", True),
        ("hdfs://evil/t", False),
        ("webhdfs://evil:1/t", False),
        ("SWEBHDFS://evil/t", False),
        ("abfss://c@acct.evil/t", False),
        ("abfss://c@acct/t", False),
        ("abfss://c@acct.dfs.core.windows.net.evil/t", False),
        ("abfss://c@acct.dfs.core.windows.net@evil/t", False),
        ("abfss://c@evil:1#.dfs.core.windows.net/t", False),
        ("az://c@evil\\.blob.core.windows.net/t", False),
    ],
)
def test_a_name_of_a_stranger(run, uri: str, counts: bool) -> None:
    path = project(f"[tables]\nx = '{uri}'\n")
    found = settings()
    assert [file.names for file in found.distrusted] == ([] if counts else [["tables.x"]])
    if not counts:
        refused = run("show", "x")
        assert refused.exit_code == 4
        assert "nothing was sent there [CONFIG_UNTRUSTED]" in refused.stderr
        assert f"deltactl config trust {path}\n" in refused.stderr


@pytest.mark.parametrize("name", ["s3://mine/t", "/data/t", "./t", ".", ".."])
def test_a_name_is_no_place_of_another(name: str) -> None:
    project(f"[tables]\n'{name}' = 's3://evil/t'\n")
    assert settings().settings().tables == {}
    assert settings().distrusted[0].names == [f"tables.{name}"]


def test_a_stranger_cannot_choose_a_profile_of_the_user(run) -> None:
    own = Path(config_folder(os.environ)) / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text(
        "[tables]\nb = 's3://mine/b'\n"
        "[profiles.prod]\ntimeout = '3s'\nstorage-options = { AWS_PROFILE = 'prod' }\n"
    )
    project(
        "profile = 'prod'\n[tables]\na = { uri = 's3://lake/a', profile = 'prod' }\n"
        "b = { uri = 's3://lake/b', profile = 'prod' }\n[profiles.prod]\nquiet = true\n"
    )
    found = settings()
    assert found.distrusted[0].names == ["profile", "tables.a", "tables.b"]
    assert (found.settings().profile, found.settings("a").profile) == (None, None)
    assert found.settings().tables["b"].uri == "s3://mine/b"
    assert run("show", "a").exit_code == 4
    assert settings(profile="prod").settings().storage_options == {"AWS_PROFILE": "prod"}
    assert settings(trust_config="deltactl.toml").settings().profile == "prod"
    told = run("config", "trust", "-o", "json").document
    assert told["settings"] == ["profile", "tables.a", "tables.b"]


@pytest.mark.parametrize("chosen", ["profile = ''", "profile = 'x'", ""])
def test_a_stranger_cannot_take_away_the_profile_of_the_user(run, chosen: str) -> None:
    # Keys for the endpoint in that profile would go to the host that is meant where none is named.
    own = Path(config_folder(os.environ)) / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text(
        "profile = 'inside'\n[tables]\nb = { uri = 's3://mine/b', profile = 'inside' }\n"
        "[profiles.inside]\nstorage-options = { AWS_ENDPOINT_URL = 'http://inside' }\n"
    )
    names = "[tables]\na = { uri = 's3://lake/a', profile = 'x' }\nb = 's3://lake/b'\n"
    project(f"{chosen}\n{names}[profiles.x]\n")
    found = settings()
    assert found.distrusted[0].names == [*(["profile"] if chosen else []), "tables.a", "tables.b"]
    for name in (None, "a", "b"):
        assert found.settings(name).storage_options == {"AWS_ENDPOINT_URL": "http://inside"}
    assert found.settings().tables["b"].uri == "s3://mine/b"
    assert run("show", "a").exit_code == 4
    assert settings(trust_config="deltactl.toml").settings("b").tables["b"].uri == "s3://lake/b"


def test_the_user_s_own_file_needs_no_trust(run) -> None:
    own = Path(config_folder(os.environ)) / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("master = 'spark://h:1'\n[tables]\nx = 'hdfs://nn/t'\n")
    assert settings().settings().master == "spark://h:1"
    own.chmod(0o666)
    found = settings()
    assert found.settings().master == "local[*]"
    assert found.distrusted[0].reason == "can be written by everybody"
    assert settings(trust_config=str(own)).settings().master == "spark://h:1"


def test_one_warning_names_them_all(run) -> None:
    names = [f"k{n}" for n in range(9)]
    lines = "".join(f'{name} = "1"\n' for name in names)
    path = project(f"quiet = true\n[spark-conf]\n{lines}")
    told = run("tables")
    assert told.exit_code == 0
    assert told.stderr == (
        f"warning: {path} is not trusted: deltactl ignores its spark-conf.k0, spark-conf.k1, "
        "spark-conf.k2, spark-conf.k3, spark-conf.k4, spark-conf.k5 and 3 more [CONFIG_UNTRUSTED]\n"
        f"hint: read the file, and to use them run deltactl config trust {path}\n"
    )
    assert run("tables", "-q").stderr == ""


def test_trust_lasts_until_the_file_changes(run, valid_document) -> None:
    path = project('master = "spark://h:1"\n[tables]\nx = "hdfs://nn/t"\n')
    document = valid_document("config trust", run("config", "trust", "-o", "json").stdout)
    assert (document["file"], document["settings"]) == (path, ["master", "tables.x"])
    assert settings().settings().master == "spark://h:1"
    assert run("tables", "nowhere").stderr.count("warning") == 0
    project('master = "spark://evil:1"\n')
    assert settings().settings().master == "local[*]"
    assert f"{path} has changed since you trusted it: " in run("tables").stderr
    project('master = "spark://h:1"\n[tables]\nx = "hdfs://nn/t"\n')
    assert settings().settings().master == "spark://h:1"
    document = valid_document("config untrust", run("config", "untrust", "-o", "json").stdout)
    assert document["trustedBefore"] is True
    assert settings().settings().master == "local[*]"
    assert run("config", "untrust").stdout == f"{path} was not trusted.\n"


def test_trust_is_of_one_path(run) -> None:
    path = project('master = "spark://h:1"\n')
    assert run("config", "trust").exit_code == 0
    copy = Path("copy/deltactl.toml")
    copy.parent.mkdir()
    copy.write_bytes(Path(path).read_bytes())
    os.chdir("copy")
    assert settings().settings().master == "local[*]"
    assert run("config", "trust", "nowhere").exit_code == 3
    assert run("config", "trust", "..").stdout.startswith(f"Trusted {path} until it changes")


def test_trust_is_of_the_file_whatever_link_leads_to_it(run) -> None:
    path = project('master = "spark://h:1"\n')
    Path("link").symlink_to(Path.cwd())
    assert run("config", "trust", "link/deltactl.toml").stdout.startswith(f"Trusted {path} until")
    assert settings().settings().master == "spark://h:1"
    assert run("config", "untrust", "link").stdout.startswith(f"{path} is no longer")
    assert run("config", "trust", "link").exit_code == 0
    Path(path).unlink()
    gone = run("config", "untrust", "link/deltactl.toml").stdout
    assert gone == f"{path} is no longer trusted.\n"


def test_records_that_cannot_be_read_trust_nothing(run) -> None:
    # The home that a container names may be that of another user.
    project('master = "spark://h:1"\n')
    folder = Path(config_folder(os.environ))
    folder.mkdir(parents=True)
    folder.joinpath("trusted").write_text("", encoding="utf-8")
    assert settings().distrusted[0].reason == "is not trusted"
    assert settings(trust_config="deltactl.toml").settings().master == "spark://h:1"
    assert run("tables").exit_code == 0


def test_a_link_to_a_file_that_was_named_is_another_file() -> None:
    # Jars and tables would be looked for beside the link.
    named = project('master = "spark://h:1"\njars = "./jars"\n')
    Path("stranger").mkdir()
    os.chdir("stranger")
    Path("deltactl.toml").symlink_to(named)
    assert settings(trust_config=named).settings().jars is None
    assert settings(trust_config="deltactl.toml").settings().jars == f"{os.getcwd()}/jars"


@pytest.mark.parametrize(
    "name",
    [
        "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AZURE_FEDERATED_TOKEN_FILE",
        "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SERVICE_ACCOUNT", "service-account-path",
    ],
)  # fmt: skip
def test_a_file_that_a_trusted_file_names_lies_beside_it(name: str) -> None:
    # Otherwise the file would be looked for in the current folder, which may be a stranger's.
    text = f'[storage-options]\n{name} = "keys/k"\n'
    project(text)
    root = os.getcwd()
    Path("stranger").mkdir()
    os.chdir("stranger")
    found = settings(trust_config="../deltactl.toml").settings()
    assert found.storage_options == {name: f"{root}/keys/k"}
    own = Path(config_folder(os.environ), "config.toml")
    own.parent.mkdir(parents=True)
    own.write_text(text, encoding="utf-8")
    Path("deltactl.toml").write_text("", encoding="utf-8")
    assert settings().settings().storage_options == {name: f"{own.parent}/keys/k"}
    own.write_text(text.replace("keys/k", ""), encoding="utf-8")
    assert settings().settings().storage_options == {name: ""}


def test_show_tells_what_is_ignored(run, valid_document) -> None:
    path = project('[storage-options]\nAWS_SECRET_ACCESS_KEY = "x1"\nAWS_REGION = "r"\n')
    document = valid_document("config show", run("config", "show", "-o", "json").stdout)
    name = "storage-options.AWS_SECRET_ACCESS_KEY"
    assert document["settings"][-1] == {
        "name": name, "value": "****", "origin": path, "ignored": True,
    }  # fmt: skip
    assert [row["name"] for row in document["settings"] if row["ignored"]] == [name]
    assert f"ignored: {path}\n" in run("config", "show").stdout


def test_a_file_that_everybody_can_write(run) -> None:
    path = project('master = "spark://h:1"\noutput = "json"\n')
    assert run("config", "trust").exit_code == 0
    Path(path).chmod(0o666)
    found = settings()
    assert (found.settings().master, found.settings().output) == ("local[*]", "json")
    assert found.distrusted[0].reason == "can be written by everybody"
    refused = run("config", "trust", "-o", "text")
    assert refused.exit_code == 4
    assert f"--trust-config {path}\n" in refused.stderr
    assert settings(trust_config=path).settings().master == "spark://h:1"


def test_a_folder_above_that_everybody_can_write(run) -> None:
    folder = Path.cwd()
    below = folder / "a" / "b"
    below.mkdir(parents=True)
    os.chdir(below)
    path = project('master = "spark://h:1"\n')
    assert run("config", "trust").exit_code == 0
    (folder / "a").chmod(0o777)
    lies = f"lies below {folder / 'a'}, which can be written by everybody"
    assert settings().distrusted[0].reason == lies
    # As in /tmp: users cannot replace what belongs to others.
    (folder / "a").chmod(0o1777)
    assert settings().settings().master == "spark://h:1"
    (folder / "a").chmod(0o755)
    assert others_may_change(path) is None


def test_a_file_of_another_user(run, as_another) -> None:
    path = project('master = "spark://h:1"\nquiet = true\n')
    found = settings()
    assert found.distrusted[0].reason.startswith("belongs to user ")
    assert found.settings().quiet is True
    assert run("config", "trust").exit_code == 4
    told = run("tables").stderr
    assert told.endswith(
        f"[CONFIG_UNTRUSTED]\nhint: to use them anyway, add --trust-config {path}\n"
    )
    assert settings(trust_config=path).settings().master == "spark://h:1"


def test_a_group_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    path = project("")
    Path(path).chmod(0o664)
    gid = os.stat(path).st_gid
    pwd, grp = "deltactl.cli.config.trust.pwd.getpwuid", "deltactl.cli.config.trust.grp.getgrgid"
    user = type("User", (), {"pw_name": "me", "pw_gid": gid})
    for name, members, reason in [
        ("me", [], None),
        ("me", ["me"], None),
        ("me", ["me", "you"], "can be written by its group"),
        ("staff", [], "can be written by its group"),
    ]:
        group = type("Group", (), {"gr_name": name, "gr_gid": gid, "gr_mem": members})
        with monkeypatch.context() as patch:
            patch.setattr(pwd, lambda uid: user)
            patch.setattr(grp, lambda gid, group=group: group)
            assert others_may_change(path) == reason


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="this system keeps its lists elsewhere")
def test_a_list_of_others_has_the_mode_of_the_group(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = project("")
    gid = os.stat(path).st_gid
    user = type("User", (), {"pw_name": "me", "pw_gid": gid})
    group = type("Group", (), {"gr_name": "me", "gr_gid": gid, "gr_mem": []})
    monkeypatch.setattr("deltactl.cli.config.trust.pwd.getpwuid", lambda uid: user)
    monkeypatch.setattr("deltactl.cli.config.trust.grp.getgrgid", lambda gid: group)
    # The owner and the user 4242 may write, the group and others read.
    entries = [(1, 6, -1), (2, 6, 4242), (4, 4, -1), (16, 6, -1), (32, 4, -1)]
    data = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    try:
        os.setxattr(path, "system.posix_acl_access", data)
    except OSError as error:
        do_without(f"the file system of {tmp_path} has no access lists: {error.strerror}")
    assert others_may_change(path) == "can be written by its group"


def test_a_link_to_a_file_that_others_can_write(run) -> None:
    target = Path.cwd() / "shared" / "settings"
    target.parent.mkdir()
    target.write_text('master = "spark://h:1"\n')
    link = Path.cwd() / "deltactl.toml"
    link.symlink_to(target)
    assert run("config", "trust").exit_code == 0
    assert settings().settings().master == "spark://h:1"
    target.parent.chmod(0o777)
    reason = f"lies below {target.parent}, which can be written by everybody"
    assert settings().distrusted[0].reason == reason


def test_a_pipe_is_not_waited_for(run) -> None:
    os.mkfifo("deltactl.toml")
    result = run("tables")
    assert result.exit_code == 2
    assert "it is a named pipe (FIFO), not a regular file [CONFIG_UNREADABLE]" in result.stderr


def test_a_file_of_any_size_is_not_read_whole(run) -> None:
    with open("deltactl.toml", "wb") as file:
        file.truncate(1 << 31)
    result = run("tables")
    assert result.exit_code == 2
    assert "it is larger than 1 MiB [CONFIG_UNREADABLE]" in result.stderr


def test_the_environment_can_name_the_file(run, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project('master = "spark://h:1"\n')
    Path(path).chmod(0o666)
    monkeypatch.setenv("DELTACTL_TRUST_CONFIG", path)
    assert settings().settings().master == "spark://h:1"
    assert run("tables").stderr == ""
    monkeypatch.setenv("DELTACTL_TRUST_CONFIG", "/nowhere/deltactl.toml")
    assert settings().settings().master == "local[*]"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"timeout = {'9' * 5000}", "Exceeds the limit (4300 digits)"),
        (f"[storage-options]\nAWS_REGION = 0x{'f' * 5000}", "takes one text, number, or true"),
        ('[tables]\nx = "~\\u0000/y"', ":2: tables.x has a null character in it"),
        ('jars = "~\\u0000/y"', ":1: jars has a null character in it"),
        (f"{'a.' * 50_000}a = 1", "it has a line with more than 1000 dots"),
    ],
    ids=["number", "hexadecimal number", "null in a path", "null in jars", "dots"],
)
def test_a_file_made_to_break_its_reader(run, text: str, said: str) -> None:
    project(text)
    result = run("tables", "-o", "text")
    assert result.exit_code == 2
    assert said in result.stderr


def test_names_by_the_thousand_are_looked_for_once() -> None:
    project("".join(f'[tables.t{n}]\nuri = "s3://lake/{n}"\n' for n in range(5_000)))
    before = time.process_time()
    assert len(settings().settings().tables) == 5_000
    # It took 20 s, as each name looked through all lines.
    assert time.process_time() - before < 2

import pytest

from deltactl.spark.install.urls import (
    cluster_of,
    parse_master,
    parse_mirror,
    parse_remote,
    place,
    shown,
    without_login,
)


@pytest.mark.parametrize(
    "text",
    [
        "local",
        "local[*]",
        "local[4]",
        "local[4,2]",
        "yarn",
        "spark://host:7077",
        "spark://a:7077,b:7077",
        "k8s://https://host:6443",
        "k8s://host",
        "sc://host",
        "sc://host:15002/;token=x",
    ],
)
def test_masters(text: str) -> None:
    assert parse_master(text) == text


@pytest.mark.parametrize(
    "text", ["", "locals", "local[x]", "local[", "spark:/h", "spark://", "mesos://h", "host:7077"]
)
def test_what_is_no_master(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a master such as local\[\*\], spark://HOST:PORT"):
        parse_master(text)


def test_remotes() -> None:
    assert parse_remote("sc://h:1") == "sc://h:1"
    with pytest.raises(ValueError, match="is not a Spark Connect server: sc://HOST:PORT"):
        parse_remote("spark://h:7077")


def test_mirrors() -> None:
    assert parse_mirror("https://u:p@h/x") == "https://u:p@h/x"
    ports = ("https://h:x/y", "https://h:65536/y", "https://u:secret@[h/y")
    for text in ("ftp://u:secret@h", "/x", "https://", "https://h /x", *ports):
        with pytest.raises(ValueError, match="is not the URL of a Maven repository") as caught:
            parse_mirror(text)
        assert "secret" not in str(caught.value)


def test_what_is_secret_is_not_shown() -> None:
    assert shown("sc://h:1/;token=secret;use_ssl=true") == "sc://h:1"
    assert shown("spark://h:7077") == "spark://h:7077"
    assert without_login("https://u:p@ss@h/x@y") == "https://h/x@y"
    assert without_login("https://h/x") == "https://h/x"


@pytest.mark.parametrize(
    ("master", "expected"),
    [
        ("local[*]", "Spark on this machine (local[*])"),
        ("spark://h:7077", "Spark on spark://h:7077"),
        ("yarn", "Spark on yarn"),
        ("sc://h:1/;token=secret", "Spark Connect at sc://h:1"),
    ],
)
def test_places_in_words(master: str, expected: str) -> None:
    assert place(master) == expected


@pytest.mark.parametrize(
    ("master", "cluster"),
    [
        ("local[*]", None),
        ("local", None),
        ("sc://host:15002", None),
        ("yarn", "yarn"),
        ("spark://host:7077", "spark://host:7077"),
    ],
)
def test_the_cluster_of_a_master(master: str, cluster: str | None) -> None:
    assert cluster_of(master) == cluster

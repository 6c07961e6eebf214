"""What the URLs of masters and of repositories may be, and what may be shown of them."""

import re

LOCAL = "local[*]"
CONNECT = "sc://"
# The default of `spark install --mirror`; hints name it to users who fetch the jars themselves.
MAVEN_CENTRAL = "https://repo1.maven.org/maven2"
_MASTER = (
    r"local(\[(\*|[0-9]+)(, *[0-9]+)?\])?|yarn|(spark|sc)://[^\s/]+.*|k8s://(https?://)?[^\s/]+.*"
)


def parse_master(text: str) -> str:
    """Return the URL of a master, or raise ValueError."""
    if not re.fullmatch(_MASTER, text):
        raise ValueError(
            f"{text!r} is not a master such as local[*], spark://HOST:PORT, yarn, k8s://HOST:PORT, "
            "or sc://HOST:PORT"
        )
    return text


def parse_remote(text: str) -> str:
    """Return the URL of a Spark Connect server, or raise ValueError."""
    if not text.startswith(CONNECT):
        raise ValueError(f"{text!r} is not a Spark Connect server: sc://HOST:PORT")
    return parse_master(text)


def parse_mirror(text: str) -> str:
    """Return the URL of a Maven repository, or raise ValueError."""
    if not (re.fullmatch(r"https?://[^/\s]+\S*", text) and _is_sound(text)):
        raise ValueError(
            f"{without_login(text)!r} is not the URL of a Maven repository: https://HOST/PATH"
        )
    return text


def is_local(master: str) -> bool:
    """Return whether Spark runs on this machine, as part of this program."""
    return master.partition("[")[0] == "local"


def cluster_of(master: str) -> str | None:
    """Return the cluster that the master is of; None for this machine, and if a server knows."""
    return None if is_local(master) or master.startswith(CONNECT) else master


def shown(master: str) -> str:
    """Return the URL of a master without the token that one of Spark Connect can hold."""
    return master.partition("/;")[0] if master.startswith(CONNECT) else master


def without_login(url: str) -> str:
    """Return the URL of a repository without the user and the password in it."""
    return re.sub("//[^/]*@", "//", url)


def place(master: str) -> str:
    """Return where jobs run, as the beginning of a sentence."""
    if is_local(master):
        return f"Spark on this machine ({master})"
    if master.startswith(CONNECT):
        return f"Spark Connect at {shown(master)}"
    return f"Spark on {shown(master)}"


def _is_sound(url: str) -> bool:
    """Return whether a URL can be taken apart, down to a port that there can be, or none."""
    from urllib.parse import urlsplit  # Every command knows of masters, and few of mirrors.

    try:
        return urlsplit(url).port != 0
    except ValueError:
        return False

"""Paths of data files as actions write them, and the one spelling under which they are compared."""

import re

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

# What Hadoop's Path.toUri leaves as it is in a relative path; everything else is percent-encoded.
_LEFT_ALONE = "/-_.~!$&'()*+,;=@"


def canonical(path: str) -> str:
    """Return the path decoded once, absolute local ones without their scheme: the key of replay."""
    if path.startswith("file:/"):
        path = "/" + path[len("file:") :].lstrip("/")
    if "%" not in path:
        return path
    # Loading it costs more than most tables' paths, which are plain, ever need.
    from urllib.parse import unquote

    # An octet that is not UTF-8 must stay apart from any other: two files are not one.
    return unquote(path, errors="surrogateescape")


def encode(path: str) -> str:
    """Return the path of a file as an action must write it; `canonical` gives it back."""
    from urllib.parse import quote

    return quote(path, safe=_LEFT_ALONE, errors="surrogateescape")


def is_absolute(path: str) -> bool:
    """Return whether the path stands alone, without the table's root before it."""
    return path.startswith("/") or _SCHEME.match(path) is not None


def escapes_root(path: str) -> bool:
    """Return whether a relative path climbs out of the table."""
    return ".." in canonical(path).split("/") and not is_absolute(path)


def is_encoded(path: str) -> bool:
    """Return whether the path is a URI; a raw space or control character makes it none."""
    return path.isprintable() and " " not in path

"""AWS profiles: the keys, the region and the endpoint in the files of the AWS CLI.

obstore and Hadoop know the other links of AWS's chain (environment, web identity, containers,
instances), and no profiles: what is found here goes to both. This module reads static keys only.
For all others boto3 signs in.
"""

import configparser
import os
import shlex
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from deltactl.errors import StorageError
from deltactl.storage.local.regular_file import open_named
from deltactl.storage.options.aws_sign_in import PROCESS, SignedIn
from deltactl.storage.options.options import StoreOptions, check_value
from deltactl.text.suggestions import nearest

DEFAULT = "default"
_KEYS = ("aws_access_key_id", "aws_secret_access_key")
# boto3 turns these into keys before it looks at static ones, as the AWS CLI does.
_BEFORE_KEYS = ("sso_session", "sso_start_url", "role_arn", "login_session")


class Profile(NamedTuple):
    """A profile as it stands in the files; `said` has the texts of both.

    `services` is what it says of S3 alone.
    """

    name: str
    said: Mapping[str, str]
    services: Mapping[str, str]
    files: tuple[str, str]

    def __repr__(self) -> str:
        return f"Profile({self.name})"

    def endpoint(self) -> str | None:
        """Return the URL of S3 that it names."""
        return self.services.get("endpoint_url") or self.said.get("endpoint_url")


def with_profile(options: StoreOptions, environ: Mapping[str, str]) -> StoreOptions:
    """Return the options with what the AWS profile adds; what they say themselves wins.

    If they name keys, nothing is read. Without a name it is the profile `default`, if there is
    one and no web identity is set. Keys that may end come with the `key_source` of the result.

    Raises:
        StorageError: the profile is missing, cannot be read, or gives no keys.
        InvalidUsageError: its region or its endpoint is malformed.
    """
    if options.kind != "s3" or options.has_keys():
        return options
    named = options.get("AWS_PROFILE")
    if named is None and options.get("AWS_WEB_IDENTITY_TOKEN_FILE"):
        return options
    profile = read_profile(named, _files(options, environ))
    if profile is None:
        return options
    found: dict[str, str] = {}
    if region := profile.said.get("region"):
        found["AWS_REGION"] = region
    if (endpoint := profile.endpoint()) and not _ignores_endpoints(options, profile):
        found["AWS_ENDPOINT_URL_S3"] = endpoint
    for name, setting in (("AWS_REGION", "region"), ("AWS_ENDPOINT_URL_S3", "endpoint_url")):
        # A value in the options themselves wins, and was checked before.
        if name in found and options.get(name) is None:
            check_value(name, found[name], f"{setting} of the AWS profile {profile.name}")
    keys = _static_keys(profile)
    if keys is None and any(profile.said.get(name) for name in (*_BEFORE_KEYS, PROCESS)):
        source = _signed_in(profile.name, frozenset(profile.said.items()), profile.files)
        try:
            keys = source()
        except StorageError:
            _signed_in.cache_clear()  # The next one asks again, from the start.
            raise
        options = options._replace(key_source=source)
    if keys is not None:
        # Half a pair of keys, or the token of others, would go with them.
        others = {n: v for n, v in options.values.items() if n not in _VALUES}
        options = options._replace(values=others)
        found |= {name: keys[key] for name, key in _VALUES.items() if keys.get(key)}
    return options.with_values(found)


@cache
def _signed_in(name: str, said: frozenset[tuple[str, str]], files: tuple[str, str]) -> SignedIn:
    """Return the one sign-in of the profile: a program opens a table again with each call."""
    return SignedIn(name, dict(said), files)


def read_profile(name: str | None, files: tuple[str, str]) -> Profile | None:
    """Return the profile from the files of credentials and of settings; None if missing.

    Raises:
        StorageError: a profile that was named is in neither, or a file cannot be read.
    """
    credentials, config = (_sections(path) for path in files)
    wanted = name or DEFAULT
    heading = wanted if wanted == DEFAULT else f"profile {wanted}"
    settings = config.get(heading, config.get(f"profile {wanted}"))
    keys = credentials.get(wanted)
    if settings is None and keys is None:
        if name is None:
            return None
        known = {*credentials, *(h.removeprefix("profile ") for h in config if _is_profile(h))}
        near = nearest(name, sorted(known))
        raise StorageError(
            "AWS_PROFILE_UNKNOWN",
            f"there is no AWS profile {name!r} in {' or '.join(files)}",
            hint=f"did you mean {' or '.join(near)}?" if near else "set AWS_PROFILE to one of them",
            details={"profile": name, "files": list(files)},
        )
    said = {**(settings or {}), **(keys or {})}
    services = _nested(config.get(f"services {said.get('services', '')}", {}).get("s3", ""))
    return Profile(wanted, said, services, files)


def _static_keys(profile: Profile) -> dict[str, Any] | None:
    """Return the static keys of a profile; None if it has no keys, or boto3 finds others.

    Raises:
        StorageError: one key of two is missing.
    """
    said = profile.said
    first, second = _KEYS
    if any(said.get(name) for name in _BEFORE_KEYS) or not (said.get(first) or said.get(second)):
        return None
    if not (said.get(first) and said.get(second)):
        raise _half(profile)
    token = said.get("aws_session_token") or said.get("aws_security_token")
    return {"access_key_id": said[first], "secret_access_key": said[second], "token": token}


# The options that hold keys, with their names in what obstore calls a credential.
_VALUES = {
    "AWS_ACCESS_KEY_ID": "access_key_id",
    "AWS_SECRET_ACCESS_KEY": "secret_access_key",
    "AWS_SESSION_TOKEN": "token",
}


def _files(options: StoreOptions, environ: Mapping[str, str]) -> tuple[str, str]:
    home = environ.get("HOME") or os.path.expanduser("~")
    credentials = options.get("AWS_SHARED_CREDENTIALS_FILE") or "~/.aws/credentials"
    config = options.get("AWS_CONFIG_FILE") or "~/.aws/config"
    first, second = (
        os.path.join(home, path[2:]) if path.startswith("~/") else path
        for path in (credentials, config)
    )
    return first, second


def _sections(path: str) -> dict[str, dict[str, str]]:
    # No section is the default of others, and a percent sign is one.
    parser = configparser.RawConfigParser(default_section="\0", strict=False)
    try:
        with open(path, encoding="utf-8", opener=open_named) as file:
            parser.read_file(file)
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        # The parser's own words quote the line, which may hold a key.
        said = error.strerror if isinstance(error, OSError) else "it is not a file of AWS settings"
        line = getattr(error, "lineno", None)
        where = path if line is None else f"{path}:{line}"
        raise StorageError(
            "AWS_PROFILE_UNREADABLE",
            f"cannot read {where}: {said}",
            hint="put the file right, or name keys with AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY",
            details={"file": path},
        ) from None
    return {" ".join(_heading(name)): dict(parser.items(name)) for name in parser.sections()}


def _heading(name: str) -> list[str]:
    """Return the words of a heading: a profile's name may stand in quotes."""
    try:
        return shlex.split(name)
    except ValueError:
        return [name]


def _is_profile(heading: str) -> bool:
    return heading == DEFAULT or heading.startswith("profile ")


def _nested(text: str) -> dict[str, str]:
    """Return the settings that are indented below another one."""
    pairs = (line.partition("=") for line in text.split("\n") if "=" in line)
    return {key.strip(): value.strip() for key, _, value in pairs}


def _ignores_endpoints(options: StoreOptions, profile: Profile) -> bool:
    texts = (
        options.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
        profile.said.get("ignore_configured_endpoint_urls"),
    )
    return any((text or "").lower() == "true" for text in texts)


def _half(profile: Profile) -> StorageError:
    there, missing = _KEYS if profile.said.get(_KEYS[0]) else reversed(_KEYS)
    return StorageError(
        "STORE_MISCONFIGURED",
        f"the AWS profile {profile.name} has {there}, and no {missing}",
        hint=f"put {missing} next to it, in {' or '.join(profile.files)}",
        details={"profile": profile.name},
    )

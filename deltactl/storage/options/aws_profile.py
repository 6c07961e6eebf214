"""Profiles of AWS: the keys, the region and the endpoint that the files of the AWS CLI name.

obstore and Hadoop know the other links of AWS's chain (environment, web identity, containers,
instances), and no profiles: what is found here goes to both.
"""

import configparser
import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from deltactl.errors import StorageError
from deltactl.storage.local.regular_file import open_named
from deltactl.storage.options.options import StoreOptions, check_value
from deltactl.text.suggestions import nearest

DEFAULT = "default"
PATIENCE = 60.0  # seconds for a program that gives credentials: it may ask its user
_KEYS = ("aws_access_key_id", "aws_secret_access_key")
# What only the SDK of AWS knows how to turn into keys.
_BY_SDK = ("sso_session", "sso_start_url", "role_arn", "login_session")


class Keys(NamedTuple):
    """Credentials; they are never shown. `expires` is RFC 3339, None if that is not known."""

    access_key_id: str
    secret_access_key: str
    session_token: str | None = None
    expires: str | None = None

    def __repr__(self) -> str:
        return "Keys(***)"


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
    """Return the options with what the profile of AWS adds; they win if they say it, too.

    Nothing is read if they name keys. Without a name it is the profile `default`, if there is
    one and no web identity is set.

    Raises:
        StorageError: the profile is not there, or its files or what it names give no keys.
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
    if (keys := keys_of(profile, environ)) is not None:
        found["AWS_ACCESS_KEY_ID"] = keys.access_key_id
        found["AWS_SECRET_ACCESS_KEY"] = keys.secret_access_key
        if keys.session_token:
            found["AWS_SESSION_TOKEN"] = keys.session_token
        # Half a pair of keys, or the token of others, would go with them.
        others = {n: v for n, v in options.values.items() if n not in _PAIR}
        options = options._replace(values=others)
    return options.with_values(found)


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
            f"there is no profile {name!r} of AWS in {' or '.join(files)}",
            hint=f"did you mean {' or '.join(near)}?" if near else "set AWS_PROFILE to one of them",
            details={"profile": name, "files": list(files)},
        )
    said = {**(settings or {}), **(keys or {})}
    services = _nested(config.get(f"services {said.get('services', '')}", {}).get("s3", ""))
    return Profile(wanted, said, services, files)


def keys_of(profile: Profile, environ: Mapping[str, str]) -> Keys | None:
    """Return the keys of a profile; None if it has none, and the machine may have some.

    Raises:
        StorageError: it says how to get keys, and that did not work, or has one of two.
    """
    said = profile.said
    # Profiles of a role may hold keys, too; the SDK takes the role.
    if not any(said.get(name) for name in _BY_SDK):
        if all(said.get(name) for name in _KEYS):
            token = said.get("aws_session_token") or said.get("aws_security_token")
            return Keys(said[_KEYS[0]], said[_KEYS[1]], token)
        if any(said.get(name) for name in _KEYS):
            raise _half(profile)
        if command := said.get("credential_process"):
            return _from_process(profile.name, command, environ)
        return None
    return _from_sdk(profile)


_PAIR = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}


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
        f"the profile {profile.name} of AWS has {there}, and no {missing}",
        hint=f"put {missing} next to it, in {' or '.join(profile.files)}",
        details={"profile": profile.name},
    )


def _from_process(name: str, command: str, environ: Mapping[str, str]) -> Keys:
    try:
        words = shlex.split(command)
        done = subprocess.run(
            words, env=dict(environ), capture_output=True, timeout=PATIENCE, check=False
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        said = error.strerror if isinstance(error, OSError) else type(error).__name__
        raise _process_failed(name, f"it did not run to its end: {said}") from None
    if done.returncode:
        raise _process_failed(name, f"it ended with exit code {done.returncode}")
    try:
        told: Any = json.loads(done.stdout)
    except ValueError:
        told = None
    if not isinstance(told, dict) or told.get("Version") != 1:
        raise _process_failed(name, "it did not print credentials of version 1")
    key, secret = told.get("AccessKeyId"), told.get("SecretAccessKey")
    if not (isinstance(key, str) and key and isinstance(secret, str) and secret):
        raise _process_failed(name, "it printed no keys")
    return Keys(key, secret, told.get("SessionToken"), told.get("Expiration"))


def _process_failed(name: str, said: str) -> StorageError:
    # Neither its command line nor what it printed: both may hold secrets.
    return StorageError(
        "AWS_CREDENTIAL_PROCESS_FAILED",
        f"the credential_process of the profile {name} of AWS gave no keys: {said}",
        hint=f"aws sts get-caller-identity --profile {shlex.quote(name)}",
        details={"profile": name},
    )


def _from_sdk(profile: Profile) -> Keys:
    exported = f"aws configure export-credentials --profile {shlex.quote(profile.name)}"
    try:
        sessions = import_module("botocore.session")
    except ModuleNotFoundError:
        raise StorageError(
            "AWS_PROFILE_NEEDS_BOTO3",
            f"the profile {profile.name} of AWS signs in through SSO or a role, which takes the "
            "Python package boto3",
            hint=f'pip install boto3, or: eval "$({exported} --format env)"',
            details={"profile": profile.name},
        ) from None
    errors = import_module("botocore.exceptions")
    try:
        session = sessions.Session(profile=profile.name)
        for variable, path in zip(("credentials_file", "config_file"), profile.files, strict=True):
            session.set_config_variable(variable, path)
        found = session.get_credentials()
        frozen = found and found.get_frozen_credentials()
    except (errors.BotoCoreError, errors.ClientError) as error:
        raise _sign_in_failed(profile, type(error).__name__) from None
    if not frozen:
        raise _sign_in_failed(profile, "it has no credentials")
    return Keys(frozen.access_key, frozen.secret_key, frozen.token)


def _sign_in_failed(profile: Profile, said: str) -> StorageError:
    name = shlex.quote(profile.name)
    sso = any(key.startswith("sso_") for key in profile.said)
    return StorageError(
        "AWS_SIGN_IN_FAILED",
        f"the profile {profile.name} of AWS gave no keys: {said}",
        hint=f"aws sso login --profile {name}"
        if sso
        else f"aws sts get-caller-identity --profile {name}",
        details={"profile": profile.name},
    )

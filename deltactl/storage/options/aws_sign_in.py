"""Sign in to AWS as boto3 does: SSO, roles, web identities, and programs that give keys."""

import shlex
from collections.abc import Mapping
from datetime import timedelta
from importlib import import_module
from typing import Any

from deltactl.errors import StorageError
from deltactl.storage.remote.threads import DaemonPool

PROCESS = "credential_process"
PATIENCE = 60.0
"""Seconds for a sign-in: a program may ask its user, and boto3 would wait for it without end."""

# obstore asks again from five minutes before keys end. With less than that it asks before each
# request, and boto3, which knows when they do end, answers from memory until it has to sign in.
_HELD = timedelta(minutes=1)


class SignedIn:
    """The keys of an AWS profile that boto3 signs in; one call after the other, from any thread.

    `said` is what the profile says, and `files` are the two that it may stand in. `failed` is why
    the last call gave no keys.
    """

    def __init__(self, name: str, said: Mapping[str, str], files: tuple[str, str]) -> None:
        self.failed: StorageError | None = None
        self._name = name
        self._said = said
        self._files = files
        self._provider: Any = None
        self._calls = DaemonPool(1, "sign-in")

    def __repr__(self) -> str:
        return f"SignedIn({self._name})"

    def __call__(self) -> dict[str, Any]:
        """Return the keys to use now, as a `credential_provider` of obstore gives them.

        Raises:
            StorageError: boto3 is missing, or gives no keys.
        """
        try:
            found = self._keys()
        except StorageError as error:
            self.failed = error
            raise
        # Whatever a program prints that is no key ends in some error of boto3's.
        except Exception as error:
            self.failed = self._failure(_reason(error))
            raise self.failed from None
        self.failed = None
        return found

    def _keys(self) -> dict[str, Any]:
        # Who is asked for a code on the terminal has all the time, and boto3 asks only once.
        if self._said.get("mfa_serial"):
            return self._ask()
        return self._calls.submit(self._ask).result(PATIENCE)

    def _ask(self) -> dict[str, Any]:
        if self._provider is None:
            self._provider = self._chain()
        found: dict[str, Any] = self._provider()
        return found

    def _chain(self) -> Any:
        try:
            sessions = import_module("botocore.session")
            providers = import_module("obstore.auth.boto3")
        except ImportError:
            raise StorageError(
                "AWS_PROFILE_NEEDS_BOTO3",
                f"the AWS profile {self._name} has more than static keys, which needs the Python "
                "package boto3",
                hint="pip install 'deltactl[aws]'",
                details={"profile": self._name},
            ) from None
        session = sessions.Session(profile=self._name)
        for variable, path in zip(("credentials_file", "config_file"), self._files, strict=True):
            session.set_config_variable(variable, path)
        return providers.Boto3CredentialProvider(session, ttl=_HELD)

    def _failure(self, reason: str) -> StorageError:
        name, details = shlex.quote(self._name), {"profile": self._name}
        # Neither the command line of a program nor what it printed: both may hold secrets.
        if self._said.get(PROCESS):
            return StorageError(
                "AWS_CREDENTIAL_PROCESS_FAILED",
                f"credential_process of the AWS profile {self._name} returned no keys: {reason}",
                hint=f"aws sts get-caller-identity --profile {name}",
                details=details,
            )
        is_sso = any(key.startswith("sso_") for key in self._said)
        return StorageError(
            "AWS_SIGN_IN_FAILED",
            f"the AWS profile {self._name} could not be signed in: {reason}",
            hint=f"aws sso login --profile {name}"
            if is_sso
            else f"aws sts get-caller-identity --profile {name}",
            details=details,
        )


def _reason(error: Exception) -> str:
    """Return what may be shown of an error of boto3's."""
    if isinstance(error, TimeoutError):
        return f"no answer within {PATIENCE:.0f} seconds"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__

"""The settings of an object store: one set, for our own reading and writing and for Spark."""

import re
from collections.abc import Iterator, Mapping, Set
from typing import Any, NamedTuple, Protocol

from deltactl.errors import InvalidUsageError, Notice, RefusedError, StorageError
from deltactl.storage.options.option_rows import IDENTITY, ROWS, Row
from deltactl.storage.options.settings import OPTION_VARIABLE
from deltactl.storage.urls import HDFS_OPTIONS, SCHEMES, StoreKind
from deltactl.text.suggestions import nearest

ON = frozenset({"1", "true", "on", "yes", "y", "requester"})
OFF = frozenset({"0", "false", "off", "no", "n"})
HIDDEN = "***"
_SWITCHES = (
    "_SKIP_SIGNATURE",
    "_ALLOW_HTTP",
    "_VIRTUAL_HOSTED_STYLE_REQUEST",
    "_ALLOW_UNSAFE_RENAME",
    "_USE_EMULATOR",
    "_USE_AZURE_CLI",
)
_URLS = {
    "AWS_ENDPOINT_URL_S3", "AZURE_STORAGE_ENDPOINT", "GOOGLE_BASE_URL",
    "AWS_PROXY_URL", "AZURE_PROXY_URL", "GOOGLE_PROXY_URL",
}  # fmt: skip
_URL = re.compile(
    r"https?://([^/@\s]+@)?(\[[^\]\s]+\]|[^/:@\s\[]+)(:[0-9]{1,4}|:[1-6][0-9]{4})?(/\S*)?"
)
# The client puts these into the name of a host.
_IN_HOSTS = {
    "AWS_REGION": (re.compile("[A-Za-z0-9-]+"), "the name of a region such as eu-west-1"),
    "AZURE_STORAGE_ACCOUNT_NAME": (re.compile("[A-Za-z0-9-]+"), "the name of an account"),
}
# obstore's names for the ways to identify oneself to Azure, in the order in which it tries them.
_AZURE_IDENTITIES = (
    ("bearer_token", ("AZURE_STORAGE_TOKEN",)),
    ("access_key", ("AZURE_STORAGE_ACCOUNT_KEY",)),
    ("client_secret", ("AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID")),
    ("workload_identity", ("AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_TENANT_ID")),
    ("sas_token", ("AZURE_STORAGE_SAS_TOKEN",)),
)
# What leads to the files of AWS on this machine; what they say was added when they were read.
_IN_FILES = {
    "AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
}  # fmt: skip
_CONDITIONAL = "fs.s3a.create.conditional.enabled"
_DYNAMODB = "S3DynamoDBLogStore"
_LOG_STORE = re.compile(r"(?:spark\.)?(?:hadoop\.)?delta\.logStore\.(?:class|(?:s3|s3a|s3n)\.impl)")


class KeySource(Protocol):
    """Keys of S3 that are renewed when they end, as obstore's `credential_provider` gives them.

    `failed` is why the last call gave none.
    """

    failed: StorageError | None

    def __call__(self) -> dict[str, Any]:
        """Return the keys to use now."""


class StoreOptions(NamedTuple):
    """What was set for the stores of a scheme, by the names of `ROWS`; nothing shows its secrets.

    `kind` is None if the scheme is of no object store: then there are no values. `spelled` has
    the names under which the values were given. If there is a `key_source`, the keys among the
    values are those that it gave first.
    """

    scheme: str
    kind: StoreKind | None
    values: Mapping[str, str]
    spelled: Mapping[str, str] = {}
    key_source: KeySource | None = None

    def __repr__(self) -> str:
        return f"StoreOptions({self.scheme}, {self.shown()})"

    def shown(self) -> dict[str, str]:
        """Return the values by their names, the secret ones hidden."""
        rows = _rows(self.kind)
        return {n: HIDDEN if rows[n].secret else value for n, value in self.values.items()}

    def get(self, name: str) -> str | None:
        """Return the value of that name."""
        return self.values.get(name)

    def named(self, name: str) -> str:
        """Return the name under which the value was given: who gave it knows it by that."""
        return self.spelled.get(name, name)

    def is_on(self, name: str) -> bool:
        """Return whether the switch of that name is set to true."""
        return self.values.get(name, "").lower() in ON

    def with_values(self, values: Mapping[str, str]) -> "StoreOptions":
        """Return these options with others added; existing ones stay."""
        return self._replace(values={**values, **self.values})

    def has_keys(self) -> bool:
        """Return whether they say who one is, so that no profile is asked."""
        if self.kind == "s3":
            named = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} <= self.values.keys()
            return named or self.is_on("AWS_SKIP_SIGNATURE")
        return self.kind is not None and bool(IDENTITY[self.kind] & self.values.keys())

    def azure_identity(self) -> str | None:
        """Return which way to identify oneself to Azure is used; None: what the machine gives."""
        if named := self.get("AZURE_CREDENTIAL_TYPE"):
            return None if named.lower() in ("auto", "managed_identity") else named.lower()
        if self.is_on("AZURE_SKIP_SIGNATURE"):
            return "anonymous"
        for identity, names in _AZURE_IDENTITIES:
            if all(name in self.values for name in names):
                return identity
        return "azure_cli" if self.is_on("AZURE_USE_AZURE_CLI") else None

    def endpoint(self) -> str | None:
        """Return the URL of the store, if it is not the one that its scheme implies."""
        names = {"s3": "AWS_ENDPOINT_URL_S3", "azure": "AZURE_STORAGE_ENDPOINT"}
        return self.get(names.get(self.kind or "", "GOOGLE_BASE_URL"))

    def for_obstore(self) -> dict[str, str]:
        """Return the `config` of obstore's store.

        obstore reads the environment, too, below this: a session token there would be sent with
        the keys from here, so `s3_keys` go to it as what its `credential_provider` gives.
        """
        rows = _rows(self.kind)
        found = {key: v for n, v in self.values.items() if (key := rows[n].key) is not None}
        if self.kind == "s3" and (endpoint := found.get("endpoint")):
            # The second name wins over the first wherever that was set.
            found["aws_endpoint_url_s3"] = endpoint
        if self.kind == "azure":
            identity = self.azure_identity()
            if identity not in (None, "anonymous"):
                found["credential_type"] = str(identity)
        return found

    def s3_keys(self) -> dict[str, str | None] | None:
        """Return the keys as a `credential_provider` of obstore's S3 gives them, if there are any.

        They are said not to expire: those that do have a `key_source`.
        """
        if not {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} <= self.values.keys():
            return None
        return {
            "access_key_id": self.values["AWS_ACCESS_KEY_ID"],
            "secret_access_key": self.values["AWS_SECRET_ACCESS_KEY"],
            "token": self.get("AWS_SESSION_TOKEN"),
            "expires_at": None,
        }

    def for_client(self) -> dict[str, str]:
        """Return the `client_options` of obstore's store; these fail among its `config`.

        A URL that begins with http:// is leave enough to go without TLS.
        """
        rows = _rows(self.kind)
        found = {key: v for n, v in self.values.items() if (key := rows[n].client) is not None}
        plain = (self.endpoint() or "").lower().startswith("http://")
        if plain or self.is_on("AZURE_STORAGE_USE_EMULATOR"):
            found.setdefault("allow_http", "true")
        return found

    def for_another_machine(self) -> dict[str, str]:
        """Return options by which another machine reaches the stores as this one does.

        Where they say who one is, nothing of its environment counts: keys would go to an endpoint
        that is named there, and with a token of others. Else it says itself who it is.
        """
        given_values = {name: value for name, value in self.values.items() if name not in _IN_FILES}
        if self.kind is None or not _identifies(self.kind, given_values.keys()):
            return given_values
        return {**dict.fromkeys(_rows(self.kind), ""), **given_values}

    def write_refusal(self, spark_conf: Mapping[str, str]) -> RefusedError | None:
        """Return why nothing may be written with these settings, and those of Spark; else None.

        Reading is safe whatever they are.
        """
        if self.kind != "s3":
            return None
        if (self.get("AWS_S3_LOCKING_PROVIDER") or "").lower() == "dynamodb":
            return _dynamodb_refusal("AWS_S3_LOCKING_PROVIDER=dynamodb")
        for key, value in spark_conf.items():
            if _LOG_STORE.fullmatch(key) and value.rpartition(".")[2] == _DYNAMODB:
                return _dynamodb_refusal(f"{key}={_DYNAMODB}")
        if self.is_on("AWS_S3_ALLOW_UNSAFE_RENAME"):
            return RefusedError(
                "STORE_UNSAFE_RENAME",
                "AWS_S3_ALLOW_UNSAFE_RENAME=true lets writers of this table overwrite each "
                "other's commits; nothing was written",
                hint="unset it here, and wherever else the table is written: S3 needs it no more",
            )
        return None

    def warnings(self, spark_conf: Mapping[str, str]) -> tuple[Notice, ...]:
        """Return what to know of other writers before something is written."""
        conditional = spark_conf.get(f"spark.hadoop.{_CONDITIONAL}", spark_conf.get(_CONDITIONAL))
        if self.kind != "s3" or (conditional or "true").lower() != "false":
            return ()
        said = f"with {_CONDITIONAL}=false Spark may overwrite commits of this table, ours included"
        return (Notice("SPARK_OVERWRITES", said),)


def resolve(scheme: str, given: Mapping[str, str], environ: Mapping[str, str]) -> StoreOptions:
    """Return what is set for the stores of `scheme`: `given` beats the environment.

    Names in `given` are taken in any letter case and any known spelling, values without the blanks
    around them; where two spell the same
    setting the later one wins, and an empty value unsets it. Settings of other stores are left
    out: a file of settings may serve several. Keys, a profile or a token among `given` hide all
    keys, profiles and tokens of the environment.

    Raises:
        InvalidUsageError: no store has a setting of that name, or it cannot have that value.
    """
    for key in given:
        if _spelling(key) not in _KNOWN and key.upper() not in HDFS_OPTIONS:
            raise _unknown(key, environ)
    kind = SCHEMES.get(scheme.lower())
    if kind is None:
        return StoreOptions(scheme, None, {})
    given_values = _by_name(kind, given)
    beside = _beside(kind, given_values, environ)
    found = {name: (variable, environ[variable].strip()) for name, variable in beside}
    pairs = {name: pair for name, pair in {**found, **given_values}.items() if pair[1]}
    for name, (spelled, value) in pairs.items():
        check_value(name, value, spelled)
    values = {name: value for name, (_, value) in pairs.items()}
    return StoreOptions(scheme, kind, values, {name: key for name, (key, _) in pairs.items()})


def variables(kind: StoreKind) -> frozenset[str]:
    """Return the environment variables that set something for stores of that kind."""
    return frozenset(name for row in ROWS[kind] for name in _variables(row))


def variables_beside(given: Mapping[str, str], environ: Mapping[str, str]) -> list[str]:
    """Return the environment variables that set something for stores, whatever their kind.

    Those that `given` hides are left out, as `resolve` does, and what no store knows is ignored.
    """
    found = [v for kind in ROWS for _, v in _beside(kind, _by_name(kind, given), environ)]
    given_values = {key.upper() for key in given}
    return [*found, *(n for n in sorted(HDFS_OPTIONS) if environ.get(n) and n not in given_values)]


def is_harmless_option(key: str) -> bool:
    """Return whether a setting of that name, in any spelling, is harmless for every store."""
    spelled = _spelling(key)
    found = [row.harmless for rows in _SPELLINGS.values() if (row := rows.get(spelled))]
    return bool(found) and all(found)


def is_path_option(key: str) -> bool:
    """Return whether a setting of that name, in any spelling, is the path of a file."""
    spelled = _spelling(key)
    return any(row.path for rows in _SPELLINGS.values() if (row := rows.get(spelled)))


def _spelling(key: str) -> str:
    return key.strip().lower().replace("-", "_").replace(".", "_")


def _variables(row: Row) -> tuple[str, ...]:
    return (row.name, *(name for name in row.also if name.isupper()))


_SPELLINGS: dict[StoreKind, dict[str, Row]] = {
    kind: {_spelling(name): row for row in rows for name in (row.name, *row.also)}
    for kind, rows in ROWS.items()
}
_KNOWN = frozenset(name for spellings in _SPELLINGS.values() for name in spellings)


def _rows(kind: StoreKind | None) -> dict[str, Row]:
    return {} if kind is None else {row.name: row for row in ROWS[kind]}


def _by_name(kind: StoreKind, given: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the options for that kind of store by the names of `ROWS`: spelling and value.

    An empty value unsets.
    """
    rows = ((_SPELLINGS[kind].get(_spelling(key)), key, value) for key, value in given.items())
    return {row.name: (key, value.strip()) for row, key, value in rows if row is not None}


def _beside(
    kind: StoreKind, given_values: Mapping[str, tuple[str, str]], environ: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the settings that the environment adds, each with its variable."""
    hidden = set(given_values)
    if _identifies(kind, {name for name, (_, value) in given_values.items() if value}):
        hidden |= IDENTITY[kind]
    for row in ROWS[kind]:
        set_ones = (name for name in _variables(row) if environ.get(name, "").strip())
        variable = next(set_ones, None)
        if variable is not None and row.name not in hidden:
            yield row.name, variable


def _identifies(kind: StoreKind, names: Set[str]) -> bool:
    """Return whether these settings say by themselves who one is."""
    found = IDENTITY[kind] & names
    if kind == "s3" and found & {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}:
        # One of the two may stand in a file, and the other in the environment.
        return {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} <= found
    return bool(found - {"AWS_SESSION_TOKEN"})


def check_value(name: str, value: str, spelled: str) -> None:
    """Refuse a value of what we read ourselves; unsaid, for a URL may hold a login.

    Raises:
        InvalidUsageError: `name` cannot have it; `spelled` is what people call the setting.
    """
    wanted = None
    if name in _URLS and not _URL.fullmatch(value):
        wanted = "a URL such as https://HOST:PORT"
    elif name.endswith(_SWITCHES) and value.lower() not in ON | OFF:
        wanted = "true or false"
    elif name in _IN_HOSTS and not _IN_HOSTS[name][0].fullmatch(value):
        wanted = _IN_HOSTS[name][1]
    if wanted:
        raise InvalidUsageError(
            "STORAGE_OPTION_INVALID",
            f"{spelled} is not {wanted}",
            hint=f"set {spelled} to {wanted}, or unset it",
            details={"option": name},
        )


def _unknown(key: str, environ: Mapping[str, str]) -> InvalidUsageError:
    variable = f"{OPTION_VARIABLE}{key}"
    setter = f": {variable} is set" if variable in environ else ""
    names = [row.name for rows in ROWS.values() for row in rows]
    near = nearest(key, names) or nearest(f"AWS_{key}", names)
    listed = "deltactl explain STORAGE_OPTION_UNKNOWN tells which there are"
    return InvalidUsageError(
        "STORAGE_OPTION_UNKNOWN",
        f"no store has an option {key!r}{setter}",
        hint=f"did you mean {' or '.join(near)}?" if near else listed,
        details={"option": key},
    )


def _dynamodb_refusal(setting: str) -> RefusedError:
    return RefusedError(
        "STORE_DYNAMODB_LOG",
        f"{setting} has writers of this table agree by a table of DynamoDB, which deltactl does "
        "not ask: its commit could be overwritten; nothing was written",
        hint="move all writers to conditional writes of S3, and unset it; reading is safe",
    )

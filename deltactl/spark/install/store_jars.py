"""Find the jars for tables in object stores: Hadoop's connectors and their dependencies."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from deltactl.spark.install.jar_list import jar_lists
from deltactl.spark.install.jars import Jar, find_jars
from deltactl.spark.install.versions import VersionPair
from deltactl.storage.options.option_rows import NAMES
from deltactl.storage.urls import StoreKind

_CONNECTORS: dict[StoreKind, str] = {
    "s3": "hadoop-aws",
    "azure": "hadoop-azure",
    "gcs": "hadoop-gcp",
}


def store_jars(pair: VersionPair, kinds: Iterable[StoreKind]) -> tuple[Jar, ...]:
    """Return the jars for these kinds of stores."""
    known = jar_lists(pair)
    return tuple(jar for kind in NAMES if kind in set(kinds) for jar in known[kind])


def find_store_jars(
    pair: VersionPair, kinds: Iterable[StoreKind], folder: Path, home: Path, *, named: bool
) -> list[Path]:
    """Return where the jars for these stores are in `folder`, which the user may have named.

    A Spark that has a connector of its own, in the folder `home`, gets none from us.

    Raises:
        SparkError: one of them is missing, or is not whole.
    """
    wanted = [kind for kind in kinds if not has_connector(kind, home)]
    return find_jars(store_jars(pair, wanted), folder, named=named)


def installed_kinds(pair: VersionPair, folder: Path) -> tuple[StoreKind, ...]:
    """Return the kinds of stores of which a jar is in the folder."""
    known = jar_lists(pair)
    return tuple(kind for kind in NAMES if _any_there(known[kind], folder))


def has_connector(kind: StoreKind, home: Path) -> bool:
    """Return whether the Spark in the folder `home` brings what reaches these stores."""
    return any(home.glob(f"jars/{_CONNECTORS[kind]}-*.jar"))


def _any_there(jars: Sequence[Jar], folder: Path) -> bool:
    return any((folder / jar.name).is_file() for jar in jars)

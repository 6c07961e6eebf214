"""`spark install`: install Delta's jars and those of stores, for Spark without a network."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deltactl.cli.change_command import with_options
from deltactl.cli.command_options import bare_command
from deltactl.cli.render.blocks import Block, Column, Grid, Lines, Span, view
from deltactl.cli.render.words import size
from deltactl.cli.session import Session
from deltactl.cli.spark.spark_options import JARS, MIRROR, STORES
from deltactl.report import Report
from deltactl.spark.install.jar_list import delta_jars
from deltactl.spark.install.jars import Installed, install, jar_folder
from deltactl.spark.install.store_jars import store_jars
from deltactl.spark.install.versions import TESTED
from deltactl.storage.options.option_rows import NAMES
from deltactl.storage.user_cache import cache_folder


@dataclass(frozen=True)
class InstallReport(Report):
    """The jars that exist now."""

    folder: Path
    jars: tuple[Installed, ...]

    def body(self) -> Mapping[str, Any]:
        """Return the folder and the jars."""
        return {"folder": str(self.folder), "jars": list(self.elements())}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        """Yield each jar; `fetched` says whether it is new there."""
        for jar in self.jars:
            yield {
                "path": str(jar.path),
                "size": jar.size,
                "sha256": jar.sha256,
                "fetched": jar.fetched,
            }


@view.register
def _(report: InstallReport) -> Iterable[Block]:
    yield Grid(
        [Column("JAR", whole=True), Column("SIZE", "right"), Column("")],
        (
            [Span(jar.path.name, "name"), size(jar.size), "new" if jar.fetched else "was there"]
            for jar in report.jars
        ),
    )
    new = any(jar.fetched for jar in report.jars)
    done = "Installed in" if new else "Nothing to do: all of it is in"
    yield Lines([f"{done} {report.folder}; from here on Spark needs no network."])


def _run(session: Session, **stores: bool) -> None:
    """Install the jars that Spark needs for Delta and for object stores.

    deltactl downloads them from Maven Central to your cache folder, through the proxy in
    HTTPS_PROXY if set. Without a network, download the files elsewhere, and give their folder with
    --jars. Existing complete jars stay. Delta's two jars are 10 MB. Those for S3 add 13 MB, for
    Azure 1 MB, and for Google Cloud Storage 35 MB.

    \b
        deltactl spark install
        deltactl spark install --s3
        deltactl spark install --mirror https://maven.example.com/central
        deltactl spark install --jars /mnt/usb
    """
    settings = session.settings
    folder = jar_folder(cache_folder(os.environ))
    pair = TESTED[0]
    kinds = [kind for kind in NAMES if stores[kind]]
    tested = (*delta_jars(pair), *store_jars(pair, kinds))
    with session.progress("fetching", sum(jar.size for jar in tested)) as bar:
        jars = install(
            tested,
            folder,
            source=settings.jars or settings.mirror,
            timeout=settings.timeout,
            fetched=bar.advance,
        )
    session.show(InstallReport(folder, tuple(jars)))


command = bare_command(with_options({**STORES, "jars": JARS, "mirror": MIRROR}, _run))

"""What the shell offers for options of every command: no table is opened for it."""

import os

from click.shell_completion import CompletionItem

from deltactl.cli.completion.offers import starting
from deltactl.cli.config.config import config_files
from deltactl.cli.config.config_file import load
from deltactl.errors import DeltactlError
from deltactl.storage.options.option_rows import NAMES, ROWS
from deltactl.storage.urls import HDFS_OPTIONS


def profile(incomplete: str) -> list[CompletionItem]:
    """Offer the profiles in the files that apply here, each with the file that counts first."""
    found: dict[str, str] = {}
    try:
        for path in config_files(os.environ, os.getcwd()):
            for layer in load(path):
                if layer.profile:
                    found.setdefault(layer.profile, path)
    except (DeltactlError, OSError):  # a broken file is told when the command runs
        return []
    return starting(incomplete, sorted(found.items()))


def storage_option(incomplete: str) -> list[CompletionItem]:
    """Offer the names of the settings of stores, as `KEY=`, each with its store."""
    rows = [(f"{row.name}=", NAMES[kind]) for kind, rows in ROWS.items() for row in rows]
    rows += [(f"{name}=", "HDFS") for name in sorted(HDFS_OPTIONS)]
    return [] if "=" in incomplete else starting(incomplete, rows)

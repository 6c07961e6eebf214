"""`property set`: set table properties, and add the features that they need."""

from functools import partial

import click

from deltactl.api.verbs.properties import PropertyVerbs
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.command_options import completing
from deltactl.cli.global_options import typed
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning


def parse_pair(text: str) -> tuple[str, str]:
    """Return the key and the value in `KEY=VALUE`, or raise ValueError."""
    key, equals, value = text.partition("=")
    if equals and not key.strip():
        raise ValueError(f"{text!r} has no name before the =, such as delta.appendOnly=true")
    if not equals:
        raise ValueError(f"{text!r} is not KEY=VALUE, such as delta.appendOnly=true")
    return key, value


@change_command
@click.argument(
    "pairs",
    nargs=-1,
    required=True,
    metavar="KEY=VALUE...",
    type=typed(parse_pair),
    shell_complete=completing("settings"),
)
@click.option("--force", is_flag=True, help="Accept unknown delta.* names.")
@click.option(
    "--enable",
    is_flag=True,
    expose_value=False,
    hidden=True,  # missing features are added without it
)
def command(session: Session, pairs: tuple[tuple[str, str], ...], *, force: bool) -> Planner:
    """Set properties of TABLE, and add the features they need.

    One commit sets all of them, or none. Delta's own names (delta.*) match in any letter case.
    deltactl stores them as engines spell them. Applications can use any other names.

    \b
        deltactl property set ./events delta.appendOnly=true owner.team=billing
        deltactl property set ./events delta.enableChangeDataFeed=true --dry-run
        deltactl property set ./events "owner.note=paid by billing"
    """
    return PropertyVerbs(partial(planning, session)).set(pairs, force=force)

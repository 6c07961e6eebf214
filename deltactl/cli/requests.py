"""What was asked for, in words that can be kept and asked again."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from deltactl.changes.executor import Planner
from deltactl.cli.command_options import DeltactlCommand
from deltactl.cli.command_tree import Folder, typed_name
from deltactl.cli.global_options import Invocation
from deltactl.cli.session import Session
from deltactl.errors import InvalidUsageError

# Stands between the options of a request and its arguments, always.
BREAK = "--"
_TYPED = "deltactl.typed"
_TABLE = "table"


class ChangeCommand(DeltactlCommand):
    """A command that changes TABLE.

    `plans` returns what plans the change, from the session and the command's own parameters, which
    are those that are not among `shared`.
    """

    plans: Callable[..., Planner]
    shared: frozenset[str] = frozenset()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and keep them as they were typed.

        Raises:
            click.BadParameter: one that is to be written to a log is not UTF-8.
        """
        ctx.meta[_TYPED] = tuple(args)
        rest = super().parse_args(ctx, args)
        for param in self.own:
            is_place = param.name == _TABLE or isinstance(param.type, click.Path)
            if not is_place and not _is_utf8(ctx.params.get(param.name or "")):
                raise click.BadParameter("it is not text in UTF-8", ctx, param)
        return rest

    def request(self, ctx: click.Context) -> list[str]:
        """Return the words of this run, without TABLE and without what every change takes."""
        values, _, _ = self.make_parser(ctx).parse_args(args=list(ctx.meta[_TYPED]))
        own = [p for p in self.own if p.name not in self.shared and p.name != _TABLE]
        typed = [p for p in own if p.name in values]
        options = [p for p in typed if isinstance(p, click.Option)]
        arguments = [p for p in typed if isinstance(p, click.Argument)]
        return [
            *typed_name(ctx).split(),
            *(word for option in options for word in _option(option, values[option.name])),
            BREAK,
            *(word for argument in arguments for word in _argument(values[argument.name])),
        ]


def _is_utf8(value: Any) -> bool:
    """Return if the strings of a value can be encoded."""
    if isinstance(value, tuple | list):
        return all(map(_is_utf8, value))
    try:
        return not isinstance(value, str) or bool(value.encode() or True)
    except UnicodeEncodeError:
        return False


def planner_of(session: Session, root: Folder, request: Sequence[str], table: str) -> Planner:
    """Return what plans the change that `request` asks for.

    Raises:
        InvalidUsageError: this version of deltactl does not understand it.
    """
    cut = request.index(BREAK) if BREAK in request else len(request)
    given = session.invocation
    invocation = Invocation(
        request, settings=session.settings, inputs=given.inputs, began=given.began
    )
    ctx = click.Context(root, info_name=root.name, obj=invocation)
    words, command = list(request[:cut]), None
    while isinstance(ctx.command, Folder) and words:
        name = words.pop(0)
        command = ctx.command.get_command(ctx, name)
        if command is None:
            break
        ctx = click.Context(command, info_name=name, parent=ctx)
    if not isinstance(command, ChangeCommand) or ctx.parent is None:
        raise _not_understood(request, "there is no such command that changes a table")
    args = [*words, BREAK, table, *request[cut + 1 :]]
    try:
        # A plan that asks for help would be carried out without a change, and with success.
        no_help: dict[str, Any] = {"help_option_names": []}
        with command.make_context(command.name, args, parent=ctx.parent, **no_help) as inner:
            own = {
                name: value
                for name, value in inner.params.items()
                if name not in command.shared and name != _TABLE
            }
            return command.plans(session, **own)
    except click.UsageError as error:
        raise _not_understood(request, error.format_message()) from error


def _option(option: click.Option, value: Any) -> Iterator[str]:
    name = max(option.opts, key=len)
    for one in value if option.multiple else [value]:
        if not option.is_flag:
            yield f"{name}={one}" if name.startswith("--") else f"{name}{one}"
        elif one is True or not option.secondary_opts:
            yield name
        else:
            yield max(option.secondary_opts, key=len)


def _argument(value: Any) -> Iterator[str]:
    yield from (value,) if isinstance(value, str) else value or ()


def _not_understood(request: Sequence[str], why: str) -> InvalidUsageError:
    return InvalidUsageError(
        "REQUEST_NOT_UNDERSTOOD",
        f"the plan was asked for with {' '.join(request)!r}, which this deltactl does not "
        f"understand: {why}",
        hint="apply it with the deltactl that made it, or save the plan again with this one",
    )

"""`constraint add`: a CHECK constraint, after a look at the rows that are there."""

from collections.abc import Callable

from deltactl.errors import NotFoundError, RefusedError
from deltactl.model.condition import Condition
from deltactl.model.condition_kinds import surely_resolves
from deltactl.model.condition_text import (
    Declined,
    Expression,
    parse_expression,
    read_condition,
    unknown_columns,
)
from deltactl.model.constraints import CHECK_PREFIX
from deltactl.model.shell_words import quoted
from deltactl.model.sql_names import backticked, table_at
from deltactl.operations.change.draft import Draft
from deltactl.operations.change.plan import Plan, RowsChecked
from deltactl.operations.constraint.check import Advance, Finding, RowCheck, live_files
from deltactl.operations.constraint.drop import stored_key
from deltactl.operations.protocol.enablement import enable

FEATURE = "checkConstraints"


def plan_add_constraint(
    draft: Draft,
    name: str,
    text: str,
    *,
    rows: RowCheck,
    if_not_exists: bool = False,
    advance: Advance = lambda _: None,
) -> Plan:
    """Plan the constraint `name`, which every row must satisfy: its expression must be true.

    False violates it, and so does NULL. What only Spark can evaluate is refused as such. With
    `if_not_exists` a constraint of that name stays, whatever it says.
    """
    text = text.strip()
    key = stored_key(draft.configuration, name)
    if not name.strip():
        draft.refuse("CONSTRAINT_NAME_EMPTY", "the name of a constraint cannot be empty")
    elif key is None:
        _add(draft, name, text, lambda condition: rows.check(draft, condition, advance))
    elif not if_not_exists and not _are_same(draft.configuration[key], text):
        draft.refuse(
            "CONSTRAINT_EXISTS",
            f"the table has a constraint {key[len(CHECK_PREFIX) :]} already, which says: "
            f"{draft.configuration[key]}",
            f"choose another name, or first: deltactl constraint drop TABLE {quoted(name)}",
        )
    return draft.plan("ADD CONSTRAINT", {"name": name, "expr": text})


def _add(draft: Draft, name: str, text: str, check: Callable[[Condition], Finding]) -> None:
    expression = _parsed(draft, text)
    enable(draft, FEATURE)
    # Reading rows takes time: not for a constraint that is refused anyhow.
    if expression is None or draft.is_refused:
        return
    condition = None
    with draft.refusing():
        condition = read_condition(expression, draft.schema)
    if condition is None:
        return
    if isinstance(condition, Declined):
        _without_rows(draft, name, expression, condition.reason)
    else:
        finding = check(condition)
        if finding.unsure is not None:
            _refuse_to_guess(draft, name, text, finding.unsure)
        elif finding.violations:
            share = f"{finding.violations:,} of {finding.rows:,} rows"
            draft.refuse(
                "ROWS_VIOLATE_CONSTRAINT",
                f"{text} is not true (false, or NULL) in {share}, the first of them in "
                f"{finding.first}",
                "correct the rows first, or allow for NULL: ... OR column IS NULL",
                details={
                    "files": finding.files,
                    "rows": finding.rows,
                    "violations": finding.violations,
                    "firstFile": finding.first,
                },
            )
        else:
            draft.rows_checked = RowsChecked(finding.files, finding.rows)
    # Engines keep the names of constraints in lower case.
    draft.configuration[CHECK_PREFIX + name.lower()] = text
    draft.undo_with(f"deltactl constraint drop TABLE {quoted(name)}")


def _parsed(draft: Draft, text: str) -> Expression | None:
    """The expression, if it is one on columns of the table; what is wrong with it is refused."""
    with draft.refusing():
        expression = parse_expression(text)
        missing: list[NotFoundError] = list(unknown_columns(text, draft.schema))
        for error in missing:
            draft.refuse(error.code, error.message, error.hint, is_missing=True)
        return None if missing else expression
    return None


def _without_rows(draft: Draft, name: str, expression: Expression, reason: str) -> None:
    """Take what cannot be evaluated here only where there is no row to evaluate it for."""
    if next(live_files(draft.base), None) is not None:
        _refuse_to_guess(draft, name, expression.text, reason)
    elif not surely_resolves(expression, draft.schema):
        _refuse_to_guess(draft, name, expression.text, reason, "whether engines can evaluate it")
    else:
        draft.warn(
            "CONSTRAINT_NOT_RESOLVED",
            f"whether engines can evaluate {expression.text} shows with the next write: {reason}",
        )


def _refuse_to_guess(
    draft: Draft, name: str, text: str, reason: str, what: str = "whether the rows satisfy it"
) -> None:
    table = table_at(draft.base.log.storage.uri)
    draft.refuse(
        "SPARK_NEEDED",
        f"{what} cannot be told without Spark: {reason}",
        f"deltactl does not run Spark for this yet; run in Spark SQL: "
        f"ALTER TABLE {table} ADD CONSTRAINT {backticked(name)} CHECK ({text})",
        needs_spark=True,
    )


def _are_same(stored: str, text: str) -> bool:
    """Whether two expressions differ in spaces and in the case of keywords at most."""
    if stored == text:
        return True
    probe: list[object] = []
    for expression in (stored, text):
        try:
            probe.append(parse_expression(expression).tree)
        except RefusedError:
            return False
    return probe[0] == probe[1]

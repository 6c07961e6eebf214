"""`constraint add`: a CHECK constraint, after a look at the existing rows."""

from collections.abc import Callable

from deltactl.changes.draft import Draft
from deltactl.changes.plan import ChangePlan
from deltactl.errors import NotFoundError, RefusedError, SparkError
from deltactl.operations.constraints.check import Advance, RowCheck
from deltactl.operations.constraints.drop import stored_key
from deltactl.operations.row_checks.files import live_files
from deltactl.operations.row_checks.on_spark import SparkRows, non_boolean_reason
from deltactl.operations.row_checks.row_check_result import RowCheckResult, apply_result
from deltactl.operations.table_features.enablement import enable
from deltactl.spec.constraints.condition import Condition
from deltactl.spec.constraints.expression import columns_in
from deltactl.spec.constraints.parse import (
    Declined,
    Expression,
    parse_expression,
    read_condition,
    unknown_columns,
)
from deltactl.spec.constraints.resolvable import surely_resolves
from deltactl.spec.keys import CHECK_CONSTRAINTS_FEATURE, CONSTRAINT_PREFIX
from deltactl.text.hints import Command
from deltactl.text.identifiers import backticked, table_at


def plan_add_constraint(
    draft: Draft,
    name: str,
    text: str,
    *,
    rows: RowCheck,
    spark: SparkRows | None = None,
    if_not_exists: bool = False,
    advance: Advance = lambda _: None,
) -> ChangePlan:
    """Plan the constraint `name`, which every row must satisfy: its expression must be true.

    False violates it, and so does NULL. What only Spark can evaluate is refused as such where there
    is no `spark`. With `if_not_exists` a constraint of that name stays, whatever it says.
    """
    text = text.strip()
    key = stored_key(draft.configuration, name)
    if not name.strip():
        draft.refuse("CONSTRAINT_NAME_EMPTY", "the name of a constraint cannot be empty")
    elif key is None:
        _add(draft, name, text, lambda condition: rows.check(draft, condition, advance), spark)
    elif not if_not_exists and not _are_same(draft.configuration[key], text):
        draft.refuse(
            "CONSTRAINT_EXISTS",
            f"the table has a constraint {key[len(CONSTRAINT_PREFIX) :]} already, which says: "
            f"{draft.configuration[key]}",
            "choose another name, or first: " + Command("constraint drop", name),
        )
    return draft.plan("ADD CONSTRAINT", {"name": name, "expr": text})


def _add(
    draft: Draft,
    name: str,
    text: str,
    check: Callable[[Condition], RowCheckResult],
    spark: SparkRows | None,
) -> None:
    expression = _parsed(draft, text)
    enable(draft, CHECK_CONSTRAINTS_FEATURE)
    # Reading rows takes time: not for a constraint that is refused anyhow.
    if expression is None or draft.is_refused:
        return
    condition = None
    with draft.refusing():
        condition = read_condition(expression, draft.schema)
    if condition is None:
        return
    finding: RowCheckResult | None = None
    if isinstance(condition, Declined):
        finding = _declined(draft, name, expression, condition.reason, spark)
    elif spark is not None and spark.always:
        finding = _on_spark(draft, expression, "--engine spark asks for it", spark)
    else:
        finding = check(condition)
        if finding.unsure is not None and spark is not None:
            finding = _on_spark(draft, expression, f"only Spark can tell ({finding.unsure})", spark)
        elif finding.unsure is not None:
            _refuse_to_guess(draft, name, text, finding.unsure)
            finding = None
    if finding is not None:
        apply_result(
            draft,
            finding,
            "ROWS_VIOLATE_CONSTRAINT",
            f"{text} is not true (false, or NULL)",
            "correct the rows first, or allow for NULL: ... OR column IS NULL",
        )
    # Engines keep the names of constraints in lower case.
    draft.configuration[CONSTRAINT_PREFIX + name.lower()] = text
    draft.undo_with(Command("constraint drop", name))


def _parsed(draft: Draft, text: str) -> Expression | None:
    """Return the expression; refuse one that does not fit the table's columns."""
    with draft.refusing():
        expression = parse_expression(text)
        missing: list[NotFoundError] = list(unknown_columns(text, draft.schema))
        for error in missing:
            draft.refuse(error.code, error.message, error.remedy, is_missing=True)
        return None if missing else expression
    return None


def _declined(
    draft: Draft, name: str, expression: Expression, reason: str, spark: SparkRows | None
) -> RowCheckResult | None:
    """Return the rows for an expression that cannot be evaluated here; None without them."""
    has_rows = next(live_files(draft.base), None) is not None
    if not has_rows and surely_resolves(expression, draft.schema):
        draft.warn(
            "CONSTRAINT_NOT_RESOLVED",
            f"whether engines can evaluate {expression.text} shows with the next write: {reason}",
        )
    elif spark is not None:
        return _on_spark(draft, expression, f"only Spark can evaluate {expression.text}", spark)
    elif has_rows:
        _refuse_to_guess(draft, name, expression.text, reason)
    else:
        _refuse_to_guess(draft, name, expression.text, reason, "whether engines can evaluate it")
    return None


def _on_spark(
    draft: Draft, expression: Expression, why: str, spark: SparkRows
) -> RowCheckResult | None:
    """Return what Spark finds; None if it refuses the expression itself."""
    columns = sorted(columns_in(expression.text) or ())
    try:
        return spark.check(draft, expression.text, columns, why)
    except SparkError as error:
        senseless = non_boolean_reason(error)
        if senseless is None:
            raise
        draft.refuse(
            "CONSTRAINT_SENSELESS",
            f"Spark cannot evaluate {expression.text}: {senseless}",
            "correct the expression: engines would fail on every write",
        )
    return None


def _refuse_to_guess(
    draft: Draft, name: str, text: str, reason: str, what: str = "whether the rows satisfy it"
) -> None:
    table = table_at(draft.base.log.storage.uri)
    draft.refuse(
        "SPARK_NEEDED",
        f"{what} cannot be told without Spark: {reason}",
        f"leave --engine local out, or run in Spark SQL: "
        f"ALTER TABLE {table} ADD CONSTRAINT {backticked(name)} CHECK ({text})",
        needs_spark=True,
    )


def _are_same(stored: str, text: str) -> bool:
    """Return whether two expressions differ in spaces and in the case of keywords at most."""
    if stored == text:
        return True
    probe: list[object] = []
    for expression in (stored, text):
        try:
            probe.append(parse_expression(expression).tree)
        except RefusedError:
            return False
    return probe[0] == probe[1]

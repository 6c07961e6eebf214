"""SQL expressions of constraints and generated columns: which columns they use."""

from functools import cache

from deltactl.spec.schema.schema import Path


@cache
def columns_in(expression: str) -> frozenset[Path] | None:
    """Return the paths that the expression names, as written; None if it does not parse."""
    # It takes longer to load than most commands run, and few tables have expressions.
    import sqlglot
    from sqlglot import exp

    try:
        tree = sqlglot.parse_one(expression, read="spark")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None
    paths = set()
    for column in tree.find_all(exp.Column):
        names = [part.name for part in column.parts]
        above = column.parent
        while isinstance(above, exp.Dot) and above.expression is not column:
            names.append(above.expression.name)
            above = above.parent
        paths.add(tuple(names))
    return frozenset(paths)

"""The changes of a table by group, and the lists of what there is to change."""

from deltactl.api import convert, values
from deltactl.api.arguments import checks_arguments
from deltactl.api.reading.reports import Reports
from deltactl.api.verbs.columns import ColumnVerbs
from deltactl.api.verbs.constraints import ConstraintVerbs
from deltactl.api.verbs.domains import DomainVerbs
from deltactl.api.verbs.features import FeatureVerbs
from deltactl.api.verbs.properties import PropertyVerbs
from deltactl.api.verbs.pruning import Pruning
from deltactl.api.verbs.verbs import Make, R
from deltactl.api.verbs.widening import Widening
from deltactl.table.table import At


class Changes(Widening[R], Pruning[R]):
    """Every change of a table; what comes of one is a plan, or a commit."""

    def __init__(self, make: Make[R]) -> None:
        super().__init__(make)
        self.features = FeatureVerbs(make)


class EveryChange(Changes[R]):
    """Every change of a table, those of groups with it."""

    def __init__(self, make: Make[R]) -> None:
        super().__init__(make)
        self.columns = ColumnVerbs(make)
        self.properties = PropertyVerbs(make)
        self.constraints = ConstraintVerbs(make)
        self.domains = DomainVerbs(make)


class Plans(EveryChange[values.Plan]):
    """Every change of a table as a plan; nothing is written."""


class Columns(ColumnVerbs[values.Result]):
    """The columns of a table."""

    def __init__(self, make: Make[values.Result], reports: Reports) -> None:
        super().__init__(make)
        self._reports = reports

    @checks_arguments
    def list(self, *, at: At = None) -> tuple[values.Column, ...]:
        """Return every column, and every field, element, key and value below one."""
        return tuple(map(convert.column, self._reports.schema(at=at).columns))


class Properties(PropertyVerbs[values.Result]):
    """The properties of a table."""

    def __init__(self, make: Make[values.Result], reports: Reports) -> None:
        super().__init__(make)
        self._reports = reports

    @checks_arguments
    def list(self, *, at: At = None, every: bool = False) -> tuple[values.Property, ...]:
        """Return the properties that are set; with `every` also all known ones."""
        found = self._reports.properties(at=at, every=every)
        return tuple(
            values.Property(
                key=row.key,
                value=row.value,
                default=None if row.row is None else row.row.default,
                problem=row.problem,
            )
            for row in found.properties
        )


class Constraints(ConstraintVerbs[values.Result]):
    """The constraints of a table."""

    def __init__(self, make: Make[values.Result], reports: Reports) -> None:
        super().__init__(make)
        self._reports = reports

    @checks_arguments
    def list(self, *, at: At = None) -> tuple[values.Constraint, ...]:
        """Return CHECK constraints, then the rules of columns."""
        found = self._reports.constraints(at=at).constraints
        rules = (row.rule for row in found)
        return tuple(
            values.Constraint(name=r.name, kind=r.kind.value, expression=r.expression)
            for r in rules
        )


class Domains(DomainVerbs[values.Result]):
    """The metadata domains of a table."""

    def __init__(self, make: Make[values.Result], reports: Reports) -> None:
        super().__init__(make)
        self._reports = reports

    @checks_arguments
    def list(self, *, at: At = None) -> tuple[values.Domain, ...]:
        """Return the domains by name."""
        found = self._reports.domains(at=at).domains
        return tuple(values.Domain(name=d.domain, configuration=d.configuration) for d in found)

"""An index of the fields of a struct by name, which follows changes of the struct."""

from collections.abc import Sequence
from typing import Protocol

# The most fields by which a field may have moved from its indexed place.
_FAR = 64


class NamedField(Protocol):
    """A field, of which only the name counts."""

    @property
    def name(self) -> str:
        """The name."""


class FieldIndex:
    """The places of fields by name, exact and case folded; the first field of a name counts."""

    __slots__ = ("_places", "_shift", "_spelt")

    def __init__(self, fields: Sequence[NamedField]) -> None:
        names = [field.name for field in fields]
        backwards = range(len(names) - 1, -1, -1)
        self._places = {names[place]: place for place in backwards}
        self._spelt = {names[place].casefold(): names[place] for place in backwards}
        # Each field is at most this far from its indexed place.
        self._shift = 0

    def place(self, name: str, fields: Sequence[NamedField]) -> int | None:
        """Return the place of the field of that name; the exact name is preferred."""
        if name not in self._places:
            spelt = self._spelt.get(name.casefold())
            if spelt is None:
                return None
            name = spelt
        place = self._places[name]
        if not self._shift:
            return place
        near = range(max(place - self._shift, 0), min(place + self._shift + 1, len(fields)))
        return next(at for at in near if fields[at].name == name)

    def follow(
        self, fields: Sequence[NamedField], start: int, stop: int, new: Sequence[NamedField]
    ) -> "FieldIndex | None":
        """Return the index, changed, once `new` fields replace those from `start` to `stop`.

        None if a new index is needed. In either case this one no longer fits `fields`.
        """
        if not len(self._places) == len(self._spelt) == len(fields):
            return None
        for field in fields[start:stop]:
            del self._places[field.name], self._spelt[field.name.casefold()]
        for place, field in enumerate(new, start):
            folded = field.name.casefold()
            if folded in self._spelt:
                return None
            self._places[field.name] = place
            self._spelt[folded] = field.name
        if stop < len(fields):
            self._shift += abs(len(new) - (stop - start))
        return self if self._shift <= _FAR else None

"""Places in a data file's schema, found by name or field id without a walk of all its fields."""

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import pyarrow

_FIELD_ID = b"PARQUET:field_id"


class FilePlace:
    """A field of a file, a part of one, or with `field` None the whole file."""

    def __init__(self, field: Any, fields: Iterable[Any] = ()) -> None:
        self.field = field
        self._fields = fields

    @classmethod
    def whole(cls, schema: "pyarrow.Schema") -> Self:
        """Return the place above all columns of the file."""
        return cls(None, schema)

    def step(self, name: str, field_id: int | None) -> "FilePlace | None":
        """Return the place below that a step of a column's path means; None if missing.

        With a `field_id` that counts, and the name does not. Otherwise the exact name is preferred
        to one that differs in case only. Fields of a list or a map have neither.
        """
        if self.field is not None and is_list(self.field.type):
            return self._value
        if self.field is not None and _is_map(self.field.type):
            return self._key if name == "key" else self._item
        if field_id is not None:
            return self._by_id.get(str(field_id).encode())
        return self._by_name.get(name) or self._by_folded_name.get(name.casefold())

    @cached_property
    def _value(self) -> "FilePlace":
        return FilePlace(self.field.type.value_field)

    @cached_property
    def _key(self) -> "FilePlace":
        return FilePlace(self.field.type.key_field)

    @cached_property
    def _item(self) -> "FilePlace":
        return FilePlace(self.field.type.item_field)

    @cached_property
    def _below(self) -> "list[FilePlace]":
        """The fields of the file or of a struct, the last one first."""
        fields = self._fields
        if self.field is not None:
            import pyarrow.types as kinds

            fields = self.field.type if kinds.is_struct(self.field.type) else ()
        return [FilePlace(field) for field in fields][::-1]

    # The first of those that share a name or an id counts, so that it is put in last.
    @cached_property
    def _by_name(self) -> "dict[str, FilePlace]":
        return {place.field.name: place for place in self._below}

    @cached_property
    def _by_folded_name(self) -> "dict[str, FilePlace]":
        return {place.field.name.casefold(): place for place in self._below}

    @cached_property
    def _by_id(self) -> "dict[bytes | None, FilePlace]":
        return {(place.field.metadata or {}).get(_FIELD_ID): place for place in self._below}


def is_list(data_type: "pyarrow.DataType") -> bool:
    """Return whether Arrow's type is one of its lists."""
    import pyarrow.types as kinds

    tests = (kinds.is_list, kinds.is_large_list, kinds.is_fixed_size_list, kinds.is_list_view)
    return any(test(data_type) for test in (*tests, kinds.is_large_list_view))


def _is_map(data_type: "pyarrow.DataType") -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_map(data_type))

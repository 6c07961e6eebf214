"""What to type next: commands and statements on a table, whose name is filled in when it is known.

Classes are written out, since every start loads them and each dataclass would cost it 0.4 ms.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Self

from deltactl.text.quoting import quoted


class Words(ABC):
    """Words for a person, with places for the name of a table; joined to others by `+`.

    As text, a command without the name says TABLE, and a statement three dots.
    """

    __slots__: tuple[str, ...] = ()

    @property
    @abstractmethod
    def parts(self) -> "tuple[str | Command | Sql | Option, ...]":
        """The words in their order, those without a place as text."""

    @abstractmethod
    def named(self, called: str, place: str | None = None) -> "Words":
        """Return the words with the table's name where it has none yet.

        Commands name it as `called` says, with the words of `words_of`. Statements name it by
        `place`, as in `identifiers.table_at`; None leaves them as they are.
        """

    def retyped(self, again: Callable[[str], str]) -> "Words":
        """Return the words with the whole command in place of an option to add to it.

        `again` returns the command that was typed, with one more option.
        """
        return self

    def __str__(self) -> str:
        return "".join(map(str, self.parts))

    def __add__(self, other: "str | Words") -> "Hint":
        return Hint(self, other)

    def __radd__(self, other: str) -> "Hint":
        return Hint(other, self)

    def __format__(self, spec: str) -> NoReturn:
        raise TypeError("in an f-string they would lose the place of the table's name: join by +")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._members == other._members

    def __hash__(self) -> int:
        return hash((type(self), self._members))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._members!r}"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __getstate__(self) -> tuple[Any, ...]:
        return self._members

    def __setstate__(self, members: tuple[Any, ...]) -> None:
        self._set(*members)

    @property
    def _members(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def _set(self, *values: object) -> None:
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)


class Command(Words):
    """A command of deltactl: its name, and the words that follow the table, not quoted."""

    __slots__ = ("called", "name", "words")
    __match_args__ = ("name", "words")
    called: str | None
    name: str
    words: tuple[str, ...]

    def __init__(self, name: str, *words: str, called: str | None = None) -> None:
        self._set(called, name, words)

    @property
    def parts(self) -> "tuple[Command]":
        return (self,)

    def named(self, called: str, place: str | None = None) -> Self:
        """Return the command for the table that is called so."""
        return type(self)(self.name, *self.words, called=self.called or called)

    def __str__(self) -> str:
        return " ".join(["deltactl", self.name, self.called or "TABLE", *map(quoted, self.words)])


class Sql(Words):
    """A statement of Spark SQL: `ALTER TABLE`, and the clauses that follow the table."""

    __slots__ = ("clauses", "place", "statement")
    __match_args__ = ("statement", "clauses")
    clauses: tuple[str, ...]
    place: str | None
    statement: str

    def __init__(self, statement: str, *clauses: str, place: str | None = None) -> None:
        self._set(clauses, place, statement)

    @property
    def parts(self) -> "tuple[Sql]":
        return (self,)

    def named(self, called: str, place: str | None = None) -> Self:
        """Return the statement for the table in that place."""
        return type(self)(self.statement, *self.clauses, place=self.place or place)

    def __str__(self) -> str:
        return " ".join([self.statement, self.place or "...", *self.clauses])


class Option(Words):
    """An option to add to the command that was typed, as the whole command if that is known."""

    __slots__ = ("name", "whole")
    __match_args__ = ("name",)
    name: str
    whole: str | None

    def __init__(self, name: str, whole: str | None = None) -> None:
        self._set(name, whole)

    @property
    def parts(self) -> "tuple[Option]":
        return (self,)

    def named(self, called: str, place: str | None = None) -> Self:
        """Return the option, which names no table."""
        return self

    def retyped(self, again: Callable[[str], str]) -> "Option":
        """Return the option with the whole command."""
        return Option(self.name, again(self.name))

    def __str__(self) -> str:
        return self.whole or f"add {self.name}"


class Hint(Words):
    """Text, commands and statements one after the other."""

    __slots__ = ("parts",)
    parts: tuple[str | Command | Sql | Option, ...]

    def __init__(self, *said: str | Words) -> None:
        found = (part.parts if isinstance(part, Words) else (part,) for part in said)
        self._set(tuple(part for parts in found for part in parts))

    def named(self, called: str, place: str | None = None) -> "Hint":
        """Return the words with the name of the table in each command and statement."""
        return Hint(*(naming(part, called, place) for part in self.parts))

    def retyped(self, again: Callable[[str], str]) -> "Hint":
        """Return the words with the whole command in place of each option."""
        return Hint(*(p.retyped(again) if isinstance(p, Words) else p for p in self.parts))


def naming(said: str | Words, called: str, place: str | None = None) -> str | Words:
    """Return what was said with the table's name, as `Words.named` does; text stays as it is."""
    return said.named(called, place) if isinstance(said, Words) else said


def text_of(said: str | Words | None) -> str | None:
    """Return what was said as text; None if nothing was."""
    return None if said is None else str(said)


def joined(separator: str, said: Iterable[str | Words]) -> Hint:
    """Return the words with the separator between two of them."""
    parts: list[str | Words] = []
    for part in said:
        parts += [separator, part] if parts else [part]
    return Hint(*parts)


def words_of(name: str, profile: str | None = None) -> str:
    """Return the words of a command that name a table, and the profile by which it is reached."""
    return f"{quoted(name)} --profile {quoted(profile)}" if profile else quoted(name)

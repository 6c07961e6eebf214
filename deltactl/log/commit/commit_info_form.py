"""Read commitInfo without parsing it, by the form of earlier lines.

An engine writes the same keys in the same order, commit after commit. A regular expression made
from such lines matches the next line of that form, and finds its values.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from deltactl.log.commit.commit_info import ROW_METRICS, counting, wrong_types
from deltactl.text import strict_json

SHOWN = (
    "operation", "operationParameters", "operationMetrics", "engineInfo", "userName",
    "userMetadata", "readVersion", "isBlindAppend",
)  # fmt: skip

_METRICS = "operationMetrics/"
_STRING = r'"[ !#-\[\]-~]*"'
_WHOLE = r"(?:0|-?[1-9][0-9]{0,17})"
_DIGITS = r"0|[1-9][0-9]{0,17}"
# Lines of one form before its pattern is compiled, which takes as long as to read many commits.
_OFTEN = 3
_FORMS = 8
_LOOKED_AT = 256


class FormedInfo(Mapping[str, Any]):
    """The commitInfo of a line with a known form; parsed only if a key is asked for."""

    __slots__ = ("_match", "_parsed", "form")

    def __init__(self, form: "CommitInfoForm", match: re.Match[str]) -> None:
        self.form = form
        self._match = match
        self._parsed: dict[str, Any] | None = None

    def __getitem__(self, key: str) -> Any:
        if self._parsed is None:
            if key not in self.form.names:
                raise KeyError(key)
            self._parsed = json.loads(self._match.string)["commitInfo"]
        return self._parsed[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.form.names)

    def __len__(self) -> int:
        return len(self.form.names)

    def shown(self) -> tuple[str, ...]:
        """Return the values for the form's `shown`."""
        return self.form.shown_of(self._match)

    def rows(self) -> tuple[str, ...]:
        """Return the values for the form's `rows`."""
        return self.form.rows_of(self._match)


class Forms:
    """The forms that were seen often, the last used first."""

    def __init__(self) -> None:
        self._forms: list[CommitInfoForm] = []
        self._seen: dict[str, int] = {}
        self._looked_at = 0

    def read(self, line: bytes) -> FormedInfo | None:
        """Return the commitInfo of the line; None if its form is not known."""
        if not self._forms:
            return None
        try:
            text = line.decode()
        except UnicodeDecodeError:
            return None
        form = self._forms[0]
        match = form.match(text)
        return self._read_other(text) if match is None else FormedInfo(form, match)

    def _read_other(self, text: str) -> FormedInfo | None:
        """Return the commitInfo of a line whose form is not that of the last one."""
        for place, form in enumerate(self._forms[1:], 1):
            if (match := form.match(text)) is not None:
                self._forms.insert(0, self._forms.pop(place))
                return FormedInfo(form, match)
        return None

    def learn(self, line: bytes, info: Mapping[str, Any]) -> None:
        """Count the form of a line that was parsed, and keep the form once it is common."""
        if self._looked_at == _LOOKED_AT or len(self._forms) == _FORMS:
            return
        self._looked_at += 1
        form = CommitInfoForm(info)
        seen = self._seen[form.pattern] = self._seen.get(form.pattern, 0) + 1
        # The form must give the same line back: then no key repeats, and nothing is escaped.
        if seen == _OFTEN and form.fits(line, info):
            form.match = re.compile(form.pattern).fullmatch
            self._forms.insert(0, form)


class CommitInfoForm:
    """The keys of a commitInfo in order, as a pattern with a group for each value that is shown.

    `shown` and `rows` are templates of JSON for the operator %: of the values of `SHOWN` (null if
    missing), and of the numbers of rows in, out and updated.
    """

    def __init__(self, info: Mapping[str, Any]) -> None:
        self.names = tuple(info)
        self._groups: list[str] = []
        self._is_simple = True
        members = (f"{_key(key)}{self._value(key, value)}" for key, value in info.items())
        self.pattern = rf'\{{"commitInfo":\{{{",".join(members)}\}}\}}'
        self.match: Any = None
        self.shown_of = self._places([name for name in SHOWN if name in info])
        parts = ("%s" if name in info else "null" for name in SHOWN)
        keyed = (f'"{name}":{part}' for name, part in zip(SHOWN, parts, strict=True))
        self.shown = ",".join(keyed)
        counted = counting(info)
        self.rows_of = self._places([_METRICS + name for name in counted if name is not None])
        added, removed, updated = ("null" if name is None else "%s" for name in counted)
        self.rows = f'{{"in":{added},"out":{removed},"updated":{updated}}}'

    def fits(self, line: bytes, info: Mapping[str, Any]) -> bool:
        """Return whether the pattern matches only lines of this form."""
        same = strict_json.dumps({"commitInfo": info}).encode() == line
        return self._is_simple and same and not wrong_types(info)

    def _places(self, names: Sequence[str]) -> Callable[[re.Match[str]], tuple[str, ...]]:
        """Return a function that takes the strings of these values from a match."""
        places = [self._groups.index(name) + 1 for name in names]
        match places:
            case []:
                return lambda match: ()
            case [place]:
                return lambda match: (match[place],)
            case _:
                return itemgetter(*places)

    def _value(self, name: str, value: Any) -> str:
        """Return the pattern of a value; `name` is its keys, joined by slashes."""
        is_counted = name.startswith(_METRICS) and name.removeprefix(_METRICS) in ROW_METRICS
        is_group = is_counted or name in SHOWN
        if is_group:
            self._groups.append(name)
        match value:
            case None:
                found = "null"
            case bool():
                found = "(?:true|false)"
            case int():
                found = _WHOLE
            case str():
                found = _STRING
                if is_counted:
                    # Cut without its quotation marks: it is shown as a number.
                    return f'"({_DIGITS})"'
            case dict():
                members = (f"{_key(k)}{self._value(f'{name}/{k}', v)}" for k, v in value.items())
                found = rf"\{{{','.join(members)}\}}"
            case _:
                found = ""
        # A count of rows that is not a number is rare, and left to the parser.
        self._is_simple &= bool(found) and (not is_counted or found == _WHOLE)
        return f"({found})" if is_group else found


def _key(name: str) -> str:
    return re.escape(json.dumps(name)) + ":"

"""A store in which another writer comes first, at the worst moment."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deltactl.storage.base import Outcome
from deltactl.storage.local.local import LocalStorage
from deltactl.table import table as table_module

Act = Callable[[Path], None]


class Interloper(LocalStorage):
    """The store of a folder; each of `acts` happens right before, or right after, one claim."""

    def __init__(self, uri: str, acts: list[Act], *, after: bool) -> None:
        super().__init__(uri)
        self._acts = acts
        self._after = after

    def put_if_absent(self, path: str, data: bytes) -> Outcome:
        return self._put(path, lambda: super(Interloper, self).put_if_absent(path, data))

    def put_file_if_absent(self, path: str, local_file: str) -> Outcome:
        return self._put(path, lambda: super(Interloper, self).put_file_if_absent(path, local_file))

    def _put(self, path: str, put: Callable[[], Outcome]) -> Outcome:
        if not path.endswith(".json") or not self._acts:
            return put()
        act, target = self._acts.pop(0), Path(self.uri, path)
        if self._after:
            outcome = put()
            act(target)
            return outcome
        act(target)
        return put()


@contextmanager
def interloping(*acts: Act, after: bool = False) -> Iterator[None]:
    """Have each of `acts` take place at one claim; each is given the place of the commit."""
    left = list(acts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_module, "locate", lambda uri, _: Interloper(uri, left, after=after))
        yield
    assert not left, "not every act had its moment"

"""Modules that are imported when they are first used: a command pays for what it calls only."""

from importlib import import_module
from typing import Any


class LazyModule:
    """Stands for a module, and imports it when a name of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)

"""Notes on stderr about what is asked of stores, for `-v`."""

import logging

from deltactl.cli.process.messages import say
from deltactl.storage.request_log import NAME


class RequestNotes(logging.Handler):
    """Says what `deltactl.storage` logs, until it is closed."""

    def __init__(self, *, color: str) -> None:
        super().__init__()
        self._color = color
        self._logger = logging.getLogger(NAME)
        self._level = self._logger.level
        self._logger.addHandler(self)
        self._logger.setLevel(logging.DEBUG)

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record."""
        say("note", record.getMessage(), color=self._color)

    def close(self) -> None:
        """Leave the logger as it was."""
        self._logger.removeHandler(self)
        self._logger.setLevel(self._level)
        super().close()

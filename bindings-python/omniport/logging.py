"""Python's logging as log messages of the running call."""

from __future__ import annotations

import logging

from .context import Level, current


class Handler(logging.Handler):
    """Forwards the records of a call to its client: `logging.getLogger().addHandler(omniport.logging.Handler())`.

    Records made outside of a call are left alone, and so are those of this package, which are about the server and not for
    its clients. The client's own log level decides what is sent.
    """

    def emit(self, record: logging.LogRecord) -> None:
        cx = current.get()
        if cx is None or record.name.partition(".")[0] == "omniport":
            return
        try:
            cx.log(level_of(record.levelno), self.format(record), record.name)
        except Exception:
            self.handleError(record)


def level_of(number: int) -> Level:
    """The protocol's name of a level of Python's logging."""
    if number >= logging.CRITICAL:
        return "critical"
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warning"
    return "info" if number >= logging.INFO else "debug"

"""Loggers of a server's own code."""

from __future__ import annotations

import logging


def get_logger(name: str) -> logging.Logger:
    """The logger `name`; records of a running call reach its client through `omniport.logging.Handler`."""
    return logging.getLogger(name)


def configure_logging(level: str = "INFO") -> None:
    """Logs to stderr, which is never the protocol's."""
    logging.basicConfig(level=level, format="%(message)s")

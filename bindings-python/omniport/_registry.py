"""What a server has registered, the engine that knows it, and the table from slots to handlers."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from . import _native
from ._definitions import Definition
from ._pump import Handler
from ._result import dumps
from .errors import RuleError, from_fault

if TYPE_CHECKING:
    from ._native import Engine


class Registry:
    """Keeps the definitions, so that a new engine can be filled after the first one has ended or the process has forked."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.started = False
        """Whether an engine is being served from this process."""
        self._engine: Engine | None = None
        self._pid = 0
        self._lock = threading.RLock()
        self._definitions: dict[tuple[str, str], Definition] = {}
        self._completions: dict[tuple[str, str, str], Handler] = {}
        self._fixed: dict[int, Handler] = {}
        self._tables: dict[int, dict[int, Handler]] = {}

    def engine(self) -> Engine:
        """The engine, made on first use. RuleError in a forked child of a serving process (P12)."""
        with self._lock:
            if self._engine is not None and self._pid == os.getpid():
                return self._engine
            if self._engine is not None and self.started:
                raise RuleError(
                    f"this server runs in the process {self._pid}, of which this one is a fork; start the server after forking, "
                    "or use the spawn start method of multiprocessing"
                )
            return self._fill()

    def forget(self) -> None:
        """The engine has ended; the next use makes another."""
        with self._lock:
            self._engine = None
            self.started = False

    def add(self, definition: Definition) -> None:
        """Registers, or replaces what has the same name; the engine's complaint is raised as it is."""
        with self._lock:
            self._register(self.engine(), definition)
            self._definitions[definition.kind, definition.name] = definition

    def add_completion(self, kind: str, name: str, argument: str, handler: Handler) -> None:
        """`kind`: "prompt" or "template"."""
        with self._lock:
            self._register_completion(self.engine(), (kind, name, argument), handler)
            self._completions[kind, name, argument] = handler

    def fix(self, kind: int, handler: Handler) -> None:
        """The one handler of a kind of event that has no slots."""
        self._fixed[kind] = handler

    def remove(self, kind: str, name: str) -> bool:
        """Whether there was such a thing; connected clients are told."""
        with self._lock:
            self._definitions.pop((kind, name), None)
            return self.engine().remove(kind, name)

    def get(self, kind: str, name: str) -> Definition | None:
        return self._definitions.get((kind, name))

    def all(self, kind: str) -> list[Definition]:
        """The definitions of a kind, in the order of registration."""
        return [definition for definition in list(self._definitions.values()) if definition.kind == kind]

    def find(self, kind: int, slot: int) -> Handler | None:
        """The handler of an event."""
        try:
            return self._tables[kind][slot]
        except KeyError:
            pass
        with self._lock:  # the engine may announce a slot while `add` still writes it down
            return self._tables.get(kind, {}).get(slot) or self._fixed.get(kind)

    def _fill(self) -> Engine:
        try:
            engine = _native.Engine(dumps(self.options))
        except _native.Fault as fault:
            raise from_fault(fault) from None
        self._engine, self._pid, self.started = engine, os.getpid(), False
        self._tables = {}
        for definition in self._definitions.values():
            self._register(engine, definition)
        for key, handler in self._completions.items():
            self._register_completion(engine, key, handler)
        return engine

    def _register(self, engine: Engine, definition: Definition) -> None:
        add, kind = {
            "tool": (engine.add_tool, _native.CALL),
            "resource": (engine.add_resource, _native.READ),
            "template": (engine.add_template, _native.READ),
            "prompt": (engine.add_prompt, _native.GET),
        }[definition.kind]
        try:
            slot = add(dumps(definition.definition), dumps(definition.options))
        except _native.Fault as fault:
            raise from_fault(fault) from None
        self._tables.setdefault(kind, {})[slot] = definition.handler

    def _register_completion(self, engine: Engine, key: tuple[str, str, str], handler: Handler) -> None:
        kind, name, argument = key
        try:
            slot = engine.add_completion(dumps({kind: name}), argument)
        except _native.Fault as fault:
            raise from_fault(fault) from None
        self._tables.setdefault(_native.COMPLETE, {})[slot] = handler

"""What a host wants to be asked and told."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from .._failure import failure_of
from .._result import blocks, dumps
from ..errors import make
from ._read import decode

Answer = Callable[[dict[str, Any]], Any]
"""Takes the parameters of what the server asks, returns the answer; may be async."""
Tell = Callable[[dict[str, Any]], Any]
"""Takes what the server tells; may be async."""
State = Literal["closed", "connecting", "ready", "recovering", "failed"]
Roots = Sequence["str | Mapping[str, Any]"] | Callable[[], Any]


class Change(msgspec.Struct, frozen=True):
    """What changed at the server."""

    kind: Literal["tools", "resources", "prompts", "resource", "missed", "ended"]
    """Which list, or one resource; "missed": the connection was made anew, and anything may have changed."""
    uri: str | None = None
    """The resource."""
    added: list[str] = []
    """Names of tools that are new, when the tools were listed before."""
    removed: list[str] = []
    """Names of tools that are gone."""
    changed: list[str] = []
    """Names of tools whose description or schemas are different."""


class Callbacks:
    """The callbacks of one client."""

    def __init__(
        self,
        *,
        on_sample: Answer | None = None,
        sample_tools: bool = False,
        on_elicit: Answer | None = None,
        on_elicit_url: Answer | None = None,
        roots: Roots | None = None,
        on_log: Tell | None = None,
        on_progress: Tell | None = None,
        on_change: Callable[[Change], Any] | None = None,
        on_state: Callable[[State, str | None], Any] | None = None,
        on_stderr: Callable[[str], Any] | None = None,
    ) -> None:
        self.on_log, self.on_progress, self.on_change = on_log, on_progress, on_change
        self.on_state, self.on_stderr = on_state, on_stderr
        self._asked: dict[str, Answer | None] = {"sample": on_sample, "elicit": on_elicit, "elicit_url": on_elicit_url}
        self._sample_tools, self._roots = sample_tools, roots

    def answers(self) -> dict[str, bool]:
        """What can be asked, as the engine declares it."""
        asked = {kind: answer is not None for kind, answer in self._asked.items()}
        return {**asked, "sample_tools": self._sample_tools, "roots": self._roots is not None}

    def listens(self) -> dict[str, bool]:
        """What the engine need not keep to itself."""
        return {
            "progress": self.on_progress is not None,
            "log": self.on_log is not None,
            "stderr": self.on_stderr is not None,
        }

    async def answer(self, text: bytes) -> bytes:
        """The text for the engine; whatever goes wrong is told to the server as an error."""
        try:
            (kind, params), *_ = decode(text).items()
            return dumps({"result": await self._answer(kind, params)})
        except Exception as error:
            failure = failure_of(error)
            told: dict[str, Any] = {"kind": failure.kind, "message": failure.message, "code": failure.code}
            if failure.data is not None:
                told["data"] = msgspec.Raw(failure.data)
            return dumps({"error": told})

    async def _answer(self, kind: str, params: dict[str, Any]) -> Any:
        if kind == "roots" and self._roots is not None:
            given: Any = self._roots() if callable(self._roots) else self._roots
            if inspect.isawaitable(given):
                given = await given
            return {"roots": [{"uri": root} if isinstance(root, str) else root for root in given]}
        answer = self._asked.get(kind)
        if answer is None:
            raise make("method_not_found", f"this client answers no question of the kind {kind}")
        result = answer(params)
        if inspect.isawaitable(result):
            result = await result
        return _sampled(result) if kind == "sample" else _elicited(result)


def _sampled(result: Any) -> Any:
    """A text stands for the message of an assistant."""
    return {"role": "assistant", "content": blocks(result)[0], "model": "unknown"} if isinstance(result, str) else result


def _elicited(result: Any) -> Any:
    """A content stands for its acceptance, None for a refusal, True for consent, a text for an action."""
    if result is None or isinstance(result, bool):
        return {"action": "accept" if result else "decline"}
    if isinstance(result, str):
        result = {"action": result}
    elif isinstance(result, Mapping) and "action" not in result:
        result = {"action": "accept", "content": result}
    return result  # what is no answer at all is refused by the engine, which shows a right one

"""How a field reads a union that a later revision, or a peer's mistake, cannot make unreadable."""

from typing import Any

from msgspec import ValidationError, convert


class Union:
    """Structs told apart by the text of one member; JSON that is none of them stays as it is.

    ``kinds`` are the structs for a text, ``otherwise`` those for any other text, ``absent`` those which may lack the
    member. They are tried in order. An object that fits none stays a ``dict``, so that one unknown item does not lose
    the message around it.
    """

    __slots__ = ("absent", "kinds", "otherwise", "tag")

    def __init__(self, tag: str | None, kinds: dict[str, tuple], otherwise: tuple, absent: tuple) -> None:
        self.tag = tag
        self.kinds = kinds
        self.otherwise = otherwise
        self.absent = absent

    def one(self, value: Any) -> Any:
        """``value`` as the struct it is, if it is JSON."""
        if type(value) is not dict:
            return value
        if self.tag in value:
            text = value[self.tag]
            kinds = self.kinds.get(text, self.otherwise) if type(text) is str else ()
        else:
            kinds = self.absent
        for kind in kinds:
            try:
                return convert(value, kind)
            except ValidationError:
                continue
        return value

    def many(self, values: Any) -> Any:
        """A list of them."""
        return [self.one(value) for value in values] if type(values) is list else values

    def one_or_many(self, value: Any) -> Any:
        """One of them or a list."""
        return self.many(value) if type(value) is list else self.one(value)

    def values(self, values: Any) -> Any:
        """An object whose values are of the union."""
        return {key: self.one(value) for key, value in values.items()} if type(values) is dict else values


# Defaults which are written all the same: msgspec leaves out a default only if it knows the factory.


def empty_list() -> list:
    """The content of a result that has none (case N41)."""
    return []


def object_schema() -> dict[str, Any]:
    """The schema of a tool that names none (case F06)."""
    return {"type": "object"}


def jsonrpc_version() -> Any:
    """The only version of JSON-RPC the protocol speaks."""
    return "2.0"

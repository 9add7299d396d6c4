"""What a user did with a form, as classes to match on."""

from __future__ import annotations

from typing import Any

from ..._elicit import ElicitResult


class AcceptedElicitation(ElicitResult[Any], frozen=True):
    """The form was filled in: `data`."""


class DeclinedElicitation(ElicitResult[Any], frozen=True):
    """The user said no."""


class CancelledElicitation(ElicitResult[Any], frozen=True):
    """The user closed the form."""


def classed(result: ElicitResult[Any]) -> ElicitResult[Any]:
    """The same result in the class of its action."""
    classes = {"accept": AcceptedElicitation, "decline": DeclinedElicitation}
    return classes.get(result.action, CancelledElicitation)(result.action, result.content)


ElicitationResult = ElicitResult

"""What a route tells the scripts that generate clients, beyond its own description."""

from collections.abc import Mapping
from typing import Any


def sdk(
    *,
    positional: tuple[str, ...] | None = None,
    defaults: Mapping[str, bool] | None = None,
    omitted: tuple[str, ...] | None = None,
    body: str | None = None,
    returns: str | None = None,
    repeatable: bool | None = None,
    follows: bool = False,
    generated: bool = True,
) -> dict[str, Any]:
    """
    Return the `x-sdk` part of an operation; what is not given follows from the rest of its description.

    Args:
        positional: arguments that may be given without their names; otherwise the path's, or else all that are needed.
        defaults: what is sent for arguments that are not given, where it differs from the server's own choice.
        omitted: fields that the method does not offer.
        body: the argument's name where the body is one plain object.
        returns: the field of the reply that the method returns in place of the whole.
        repeatable: whether sending it twice is the same as once; otherwise so for GET, PUT and PATCH.
        follows: whether it starts an operation that the method follows to its end.
        generated: False where clients write the method by hand, or have none.
    """
    said: dict[str, Any] = {
        "positional": positional,
        "defaults": defaults,
        "omitted": omitted,
        "body": body,
        "returns": returns,
        "repeatable": repeatable,
        "follows": follows or None,
        "generated": None if generated else False,
    }
    return {"x-sdk": {name: value for name, value in said.items() if value is not None}}

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
        positional: arguments that may be given without names; by default the path's, or else all required ones.
        defaults: values for omitted arguments, where they differ from the server's defaults.
        omitted: fields that the method does not have.
        body: the argument's name if the body is one plain object.
        returns: the field of the reply that the method returns instead of the whole reply.
        repeatable: whether it may be retried; by default GET, PUT and PATCH may.
        follows: whether it starts an operation that the method waits for.
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

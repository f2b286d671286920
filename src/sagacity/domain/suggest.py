"""Suggest the nearest existing name for an unknown one."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_LONGEST_FIELD, _LONGEST = 64, 80
"""Characters: a name that is longer resembles none, and is not repeated, or only its beginning."""
_SHOWN = 20


def unknown_field(name: str, known: Iterable[str], *, listed: Iterable[str] | None = None) -> str:
    """
    Return that a field or key is not known, with the nearest that is, or with all.

    Args:
        name: as it was sent.
        known: every name that is understood.
        listed: those to show where none is near; by default *known*.
    """
    shown = name if len(name) <= _LONGEST_FIELD and name.isprintable() else "a field"
    names = list(known)
    near = get_close_matches(name, names, n=1) if shown == name else []
    if near:
        return f"{shown} is not known; did you mean {near[0]}?"
    there = ", ".join(names if listed is None else listed)
    return f"{shown} is not known here; known are {there}" if there else f"{shown} is not known here"


def no_such(what: str, name: str, known: Sequence[str], *, older: Sequence[str] = ()) -> str:
    """Return that there is no such thing, with the names nearest to the one given, or those that there are."""
    near = get_close_matches(name[:_LONGEST], [*known, *older], n=3)
    more = ", …" if len(known) > _SHOWN else ""
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known[:_SHOWN])}{more}"
    return f"there is no {what} {name[:_LONGEST]!r}; {hint}"

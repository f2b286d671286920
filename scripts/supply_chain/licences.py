"""The licence of every locked package, as an SPDX expression, and whether it is allowed."""

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, metadata

from license_expression import ExpressionError, get_spdx_licensing

from supply_chain.locked import Locked
from supply_chain.policy import Policy

_SPDX = get_spdx_licensing()
_LONGEST = 80
"""A longer field holds the licence's text."""


def licence_of(package: Locked, policy: Policy) -> str:
    """Return a package's SPDX expression; empty if nothing clear is known."""
    if package.name in policy.packages:
        return policy.packages[package.name]
    for said in _said(package.name):
        expression = policy.words.get(said, said)
        if _is_spdx(expression):
            return expression
    return ""


def is_allowed(expression: str, policy: Policy) -> bool:
    """Whether every part that must be kept, and one of each choice, is on the list."""
    parsed = _SPDX.parse(expression, validate=True)
    known = {one: _SPDX.TRUE if one.key in policy.allowed else _SPDX.FALSE for one in parsed.symbols}
    return parsed.subs(known).simplify() == _SPDX.TRUE


def licence_faults(packages: Iterable[Locked], policy: Policy) -> list[str]:
    """Say what is wrong with the licences of packages: unknown, or not allowed."""
    found: set[str] = set()
    for package in packages:
        expression = licence_of(package, policy)
        if not expression:
            found.add(f"{package.name} {package.version}: its licence is not known; name it in audit.toml")
        elif not is_allowed(expression, policy):
            found.add(f"{package.name} {package.version}: {expression} is not allowed")
    return sorted(found)


def _said(name: str) -> list[str]:
    try:
        told = metadata(name)
    except PackageNotFoundError:
        return []
    classifiers = [
        one.rpartition(" :: ")[2] for one in told.get_all("Classifier", []) if one.startswith("License ::")
    ]
    fields = [told.get("License-Expression", ""), told.get("License", "")]
    return [one for one in [*fields, *classifiers] if one and len(one) <= _LONGEST]


def _is_spdx(expression: str) -> bool:
    try:
        _SPDX.parse(expression, validate=True, strict=True)
    except ExpressionError:
        return False
    return True

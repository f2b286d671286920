"""Import modules of calls when one of their calls is first used, because most programs use few."""

from collections.abc import Callable
from importlib import import_module
from typing import Any


class Later:
    """A module; what is read from it is the call of that name, once the module is needed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, call: str) -> "_LaterCall":
        return _LaterCall(self._name, call)


class _LaterCall:
    """A call in a class's body; its first use puts the function itself in its place."""

    def __init__(self, module: str, call: str) -> None:
        self._module = module
        self._call = call

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner
        self._name = name

    def __get__(self, instance: object, owner: type) -> Callable[..., Any]:
        call = getattr(import_module(self._module), self._call)
        setattr(self._owner, self._name, call)
        return call.__get__(instance, owner)

"""Calls whose modules are imported on use look like those written in the class."""

import inspect
import typing

import pytest

from sagacity.client import AsyncSagacity, Sagacity
from sagacity.schemas.profiles import ProfilesPage


@pytest.mark.parametrize("client", [Sagacity, AsyncSagacity])
def test_a_call_has_its_signature_types_and_documentation(
    client: type[Sagacity] | type[AsyncSagacity],
) -> None:
    """Frameworks make tools of methods, by what these say of themselves."""
    assert list(inspect.signature(client.get_profiles).parameters)[1] == "user_id"
    assert typing.get_type_hints(client.get_profiles)["return"] is ProfilesPage
    assert "profiles" in (inspect.getdoc(client.get_profiles) or "")
    assert inspect.iscoroutinefunction(client.get_profiles) == (client is AsyncSagacity)


def test_every_call_can_be_found() -> None:
    """A name that a class has is one of a call that there is."""
    for client in (Sagacity, AsyncSagacity):
        names = [name for name in dir(client) if not name.startswith("_")]
        assert len(names) > 100
        assert all(callable(getattr(client, name)) for name in names if name != "url")


def test_a_subclass_may_replace_a_call() -> None:
    """It finds the one that it replaces by `super`."""

    class Own(Sagacity):
        def health(self) -> typing.Any:
            return super().health, "own"

    with Own("http://127.0.0.1:9") as own:
        replaced, said = own.health()
    assert said == "own"
    assert replaced.__self__ is own

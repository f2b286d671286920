"""Python's types for what the description says, and where their classes are written."""

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType
from typing import Any

from pydantic import BaseModel

import sagacity.domain
import sagacity.schemas
from sdk_generator.description import Json

_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_IMPORTED = {
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "Callable": "collections.abc",
    "datetime": "datetime",
    "Literal": "typing",
    "JsonValue": "pydantic",
}


def _modules(package: ModuleType) -> list[ModuleType]:
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [importlib.import_module(one.name) for one in found]


def written_classes() -> dict[str, str]:
    """Return the module of each class that the description may name."""
    return {
        name: module.__name__
        for package in (sagacity.domain, sagacity.schemas)
        for module in _modules(package)
        for name, one in inspect.getmembers(module, inspect.isclass)
        if one.__module__ == module.__name__ and issubclass(one, BaseModel | Enum)
    }


def words_module(enumerated: str) -> str:
    """Return where the words of an enumeration are, by the module of the enumeration: under the same name."""
    return f"sagacity.client.words.{enumerated.rpartition('.')[2]}"


@dataclass
class Types:
    """Types as text; remembers for one module what it has to import."""

    components: Mapping[str, Json]
    classes: Mapping[str, str]
    imports: set[tuple[str, str]] = field(default_factory=set)

    def use(self, name: str, module: str | None = None) -> str:
        """Return a name that the module is to import."""
        self.imports.add((module or _IMPORTED.get(name) or self.classes[name], name))
        return name

    def given(self, schema: Json) -> str:
        """Return the type of an argument: as wide as the server's reading is."""
        if "$ref" in schema:
            return self._component(schema["$ref"].rpartition("/")[2])
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(self.given(one) for one in schema["anyOf"]))
        if "const" in schema:
            return f"{self.use('Literal')}[{schema['const']!r}]"
        if "enum" in schema:
            return f"{self.use('Literal')}{list(schema['enum'])!r}"
        return self._of_kind(schema)

    def _of_kind(self, schema: Json) -> str:
        kind: Any = schema.get("type", "object")
        if isinstance(kind, list):
            return " | ".join(_PLAIN[one] for one in kind)
        if schema.get("format") == "date-time":
            return self.use("datetime")
        if kind == "array":
            return f"{self.use('Sequence')}[{self.given(schema['items'])}]"
        if kind == "object":
            return f"{self.use('Mapping')}[str, {self._value(schema.get('additionalProperties'))}]"
        return _PLAIN[kind]

    def _value(self, schema: object) -> str:
        return self.given(schema) if isinstance(schema, Mapping) else "object"

    def _component(self, name: str) -> str:
        schema = self.components[name]
        if "enum" in schema:
            return self.use(f"{name}Word", words_module(self.classes[name]))
        if "properties" in schema:
            return f"{self.use(name)} | {self.use('Mapping')}[str, object]"
        return "object"

"""What the generator of the SDK makes of a description, beyond what today's routes ask of it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from sdk_generator.description import read
from sdk_generator.writing import modules

ENTITY = {"properties": {"name": {"type": "string"}}, "required": ["name"]}
COMPONENTS = {
    "AddEntityBody": {
        "properties": {
            "user_id": {"type": "string"},
            "name": {"type": "string"},
            "aliases": {"type": "array", "items": {"type": "string"}, "description": "Other names."},
        },
        "required": ["user_id", "name"],
    },
    "EntityReply": {"properties": {"entity": {"$ref": "#/components/schemas/Entity"}}},
    "Entity": ENTITY,
}
CLASSES = {"AddEntityBody": "a.bodies", "EntityReply": "a.replies", "Entity": "a.domain"}


def written(verb: str = "post", path: str = "/api/entities", **more: object) -> str:
    """The module that is made of one operation on entities."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/EntityReply"}}}
    operation = {
        "operationId": "add_entity",
        "tags": ["entities"],
        "description": "Store an entity.",
        "responses": {"200": {"content": content}},
        **more,
    }
    document = {
        "paths": {path: {verb: operation}},
        "tags": [{"name": "entities", "description": "Who is spoken of."}],
        "components": {"schemas": COMPONENTS},
    }
    return modules(read(document), CLASSES).get("_async/entities.py", "")


def with_body() -> dict[str, object]:
    schema = {"$ref": "#/components/schemas/AddEntityBody"}
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


def test_what_is_required_comes_first_and_may_go_without_its_name():
    text = written(**with_body())
    assert "user_id: str, name: str, *, aliases: Sequence[str] | None = None) -> EntityReply:" in text
    assert "        aliases: other names.\n" in text
    assert "from a.bodies import AddEntityBody\n" in text
    assert "await connection.send('POST', \"/api/entities\", EntityReply, body=body)" in text


def test_wishes_beside_the_route_are_followed():
    """The order of arguments, the field that is returned, and that the call may be sent again."""
    wishes = {"positional": ["name"], "returns": "entity", "repeatable": True, "omitted": ["aliases"]}
    text = written(**with_body(), **{"x-sdk": wishes})
    assert "connection: AsyncConnection, name: str, *, user_id: str) -> Entity:" in text
    assert "repeatable=True" in text
    assert text.endswith("    return reply.entity\n")


def test_a_text_in_the_path_is_quoted_and_a_number_is_checked():
    for kind, place in (("string", "{segment(entity_id)}"), ("integer", "{entity_id:d}")):
        taken = {"name": "entity_id", "in": "path", "required": True, "schema": {"type": kind}}
        text = written("get", "/api/entities/{entity_id}", parameters=[taken])
        assert f'connection.get(f"/api/entities/{place}", EntityReply)' in text


@pytest.mark.parametrize("left_out", [{"deprecated": True}, {"x-sdk": {"generated": False}}])
def test_older_names_and_what_is_written_by_hand_are_left_out(left_out):
    assert written(**left_out) == ""

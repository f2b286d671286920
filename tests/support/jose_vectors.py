"""Signed tokens and keys of Project Wycheproof (Apache-2.0; tests/data/hostile/LICENSE-wycheproof), a part of them."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOSTILE = Path(__file__).parents[1] / "data" / "hostile"
FILES = ("json_web_signature_test.json", "json_web_key_test.json")
LENIENT = {"InvalidCharacterInsertedInHeader", "InvalidCharacterInsertedInPayload"}
"""Good only for a decoder that passes over what is not base64url; RFC 7515 has none of that, nor have we."""
OF_THE_ISSUER = {"rejectsKeyWithRocaVulnerability"}
"""A broken generator made the key: nothing about its form tells, and its issuer chose to publish it."""
OF_OTHER_SETUPS = {
    "jws_keyset",
    "jws_duplicate_kid",
    "jws_mixedSymmetryKeyset",
    "invalid_aes_gcm_key",
    "invalid_aes_kw_key",
}
"""Shared secrets in key sets: here there is one, from the settings, and it says nothing of itself."""
MISLABELLED = {"invalidBase64Padding", "invalidBase64PaddingInPayload"}
"""In the published file, these are the valid token number 357, letter for letter."""


@dataclass(frozen=True)
class Vector:
    """One token, with the keys that its issuer is said to have."""

    name: str
    token: str
    keys: tuple[dict[str, Any], ...]
    is_valid: bool

    @property
    def secret(self) -> bytes | None:
        """The shared secret, where it was signed with one."""
        if len(self.keys) == 1 and self.keys[0].get("kty") == "oct":
            return decoded(self.keys[0]["k"])
        return None

    @property
    def payload(self) -> bytes:
        """What was signed."""
        return decoded(self.token.split(".")[1])


def vectors() -> list[Vector]:
    """All that have to do with us."""
    return [one for file in FILES for one in _of_file(file)]


def decoded(text: str) -> bytes:
    """What stands in base64url."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _of_file(file: str) -> Iterator[Vector]:
    for group in json.loads((HOSTILE / file).read_text())["testGroups"]:
        key = group.get("public") or group["private"]
        for test in group["tests"]:
            if (
                test["comment"] in LENIENT | OF_THE_ISSUER | MISLABELLED
                or group["comment"] in OF_OTHER_SETUPS
            ):
                continue
            is_ours = key.get("alg") != "PS256"
            yield Vector(
                f"{file.removesuffix('_test.json')}-{test['tcId']}-{test['comment']}",
                test["jws"] if isinstance(test["jws"], str) else json.dumps(test["jws"]),
                tuple(key.get("keys", [key])),
                test["result"] == "valid" and is_ours,
            )

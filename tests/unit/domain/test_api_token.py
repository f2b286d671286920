"""What scopes allow, and which tokens may be given."""

from datetime import timedelta
from itertools import pairwise

import pytest
from pydantic import ValidationError

from sagacity.domain.api_token import ApiToken, NewToken, TokenScope, permissions_of
from sagacity.domain.errors import Forbidden, InvalidInput
from sagacity.domain.principal import OF_END_USERS, Permission
from support.parts import ANNA, ORG, START

ALL = frozenset(Permission)


def test_each_scope_allows_what_those_before_it_do() -> None:
    """Read, then write, then review and long runs, then everything; no permission is without a scope."""
    allowed = [permissions_of([scope]) for scope in TokenScope]
    assert [len(one) for one in allowed] == [1, 2, 4, len(ALL)]
    assert all(less < more for less, more in pairwise(allowed))
    assert permissions_of(TokenScope) == ALL
    assert permissions_of([]) == frozenset()


@pytest.mark.parametrize(
    ("scopes", "given", "by", "error"),
    [
        ({"read"}, {}, ALL, None),
        ({"publish"}, {"user_id": ANNA, "lasts": timedelta(days=30)}, ALL, None),
        ({"read", "publish"}, {}, OF_END_USERS, None),
        (set(), {}, ALL, InvalidInput),
        ({"manage"}, {"user_id": ANNA}, ALL, InvalidInput),
        ({"read", "admin"}, {"user_id": ANNA}, ALL, InvalidInput),
        ({"read"}, {"lasts": timedelta()}, ALL, InvalidInput),
        ({"read"}, {"lasts": timedelta(days=4_000)}, ALL, InvalidInput),
        ({"manage"}, {}, OF_END_USERS, Forbidden),
        ({"read", "admin"}, {}, ALL - {Permission.ADMIN}, Forbidden),
    ],
)
def test_nobody_gives_more_than_they_have(scopes, given, by, error) -> None:
    new = NewToken(scopes=frozenset(map(TokenScope, scopes)), **given)
    if error is None:
        new.require_grantable(by)
    else:
        with pytest.raises(error):
            new.require_grantable(by)


def test_a_token_of_a_user_never_allows_more_than_users_may() -> None:
    """Also one that somebody wrote into the database by hand."""
    token = ApiToken(
        token_id="t",
        org_id=ORG.org_id,
        name="",
        prefix="",
        scopes=tuple(TokenScope),
        user_id=ANNA,
        created_at=START,
        expires_at=START,
    )
    assert token.permissions == OF_END_USERS
    assert token.is_live(START - timedelta(microseconds=1))
    assert not token.is_live(START)


@pytest.mark.parametrize("name", ["a\nb", "\x00", "\x1b[31m", "\u202eabc", "x" * 201])
def test_names_are_printable(name: str) -> None:
    with pytest.raises(ValidationError):
        NewToken(name=name, scopes=frozenset())

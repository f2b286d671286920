# Generated from _async by scripts/unasync; edit it there.
"""The account that is left."""

from sagacity.client._sync.connection import Connection
from sagacity.schemas.accounts import DeleteAccountBody


def delete_account(connection: Connection, password: str) -> None:
    """
    Delete the account that the token is of, for good, and have all erased that is stored of its user.

    Args:
        connection: to the server.
        password: the account's, once more.

    Raises:
        WrongCredentials: the password is wrong.
    """
    connection.discard("/api/auth/account", body=DeleteAccountBody(password=password))

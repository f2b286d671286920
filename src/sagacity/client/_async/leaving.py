"""The account that is left."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.schemas.accounts import DeleteAccountBody


async def delete_account(connection: AsyncConnection, password: str) -> None:
    """
    Delete the account that the token is of, for good, and have all erased that is stored of its user.

    Args:
        connection: to the server.
        password: the account's, once more.

    Raises:
        WrongCredentials: the password is wrong.
    """
    await connection.discard("/api/auth/account", body=DeleteAccountBody(password=password))

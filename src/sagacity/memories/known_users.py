"""List the users of an organisation."""

from sagacity.domain.ids import UserId
from sagacity.domain.known_user import KnownUser
from sagacity.memories.acting import Acting


async def list_users(acting: Acting, *, after: UserId | None = None, limit: int) -> list[KnownUser]:
    """
    Return users in the order of their ids; with *after*, only those after that id.

    Raises:
        Forbidden: the caller acts for one user.
    """
    acting.require_whole_tenant()
    async with acting.read() as snapshot:
        return await snapshot.known_users.page(after=after, limit=limit)

"""Query parameters that several routes share, with what the API's description says of them."""

from typing import Annotated

from fastapi import Query

from sagacity.domain.errors import InvalidInput
from sagacity.domain.operation import OperationName
from sagacity.schemas.base import Limit, refuse_unstorable
from sagacity.schemas.operations import ServiceName

MaxRows = Annotated[Limit, Query(description="The largest number of results to return.")]
Waited = Annotated[
    bool,
    Query(
        description="`true`: reply when learning has ended. "
        "`false`: reply at once; learning continues in the background."
    ),
]
_NAMES = ", ".join(f"`{name}`" for name in OperationName)
OnlyService = Annotated[
    ServiceName | None, Query(description=f"Only operations of this type: {_NAMES}. Default: all types.")
]


def storable(text: str) -> str:
    """
    Return an id of a path or a query, unless no row can have it.

    Raises:
        InvalidInput: no database keeps it as it is.
    """
    try:
        refuse_unstorable(text)
    except ValueError as error:
        raise InvalidInput(str(error)) from error
    return text

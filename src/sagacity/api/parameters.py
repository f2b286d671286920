"""Query parameters that several routes share, with their descriptions."""

from typing import Annotated

from fastapi import Query

from sagacity.domain.operation import OperationName
from sagacity.schemas.base import Limit
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

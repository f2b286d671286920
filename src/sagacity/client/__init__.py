"""The Python SDK: `Sagacity` for blocking programs, `AsyncSagacity` for asynchronous ones."""

from sagacity.client._async.client import AsyncSagacity
from sagacity.client._sync.client import Sagacity

__all__ = ["AsyncSagacity", "Sagacity"]

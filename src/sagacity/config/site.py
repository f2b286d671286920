"""Site variables: their names, and their values, cached for two seconds."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Final

import structlog
from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from sagacity.config.model_choice import NO_DEFAULTS, Role
from sagacity.coordination.base import Topic
from sagacity.domain.audit import AuditAction, NewAuditEntry
from sagacity.domain.errors import InvalidInput, NotFound, StorageError
from sagacity.domain.ids import OrgId
from sagacity.domain.site import FeatureFlag, StoredVariable
from sagacity.domain.suggest import no_such
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.transaction import Storage

_log = structlog.get_logger(__name__)
_SUBJECT: Final = "site"
TTL_SECONDS: Final = 2.0
_OPERATOR: Final = Tenant(org_id=LOCAL_ORG)

QUERY_REWRITING: Final = "flag.query_rewriting"
HOLDOUT: Final = "flag.holdout"

IsOn = Callable[[str, OrgId], Awaitable[bool]]
"""Returns whether an organisation has the feature of a flag."""

_ModelName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[!-~]+$")]
_MODEL: TypeAdapter[str] = TypeAdapter(_ModelName)
_FLAG: TypeAdapter[FeatureFlag] = TypeAdapter(FeatureFlag)
_NO_FLAG: Final = 'must be an object, such as {"enabled": true, "organisations": [], "share": 1.0}'


@dataclass(frozen=True, slots=True)
class Known:
    """The definition of a site variable."""

    meaning: str
    role: Role | None = None
    """The role for which it names the default model; None for a flag."""

    @property
    def default(self) -> JsonValue:
        """The value while it is not set."""
        return FeatureFlag().model_dump(mode="json") if self.role is None else None

    def checked(self, value: JsonValue) -> JsonValue:
        """
        Return *value* in its complete, stored form.

        Raises:
            ValidationError: it is of the wrong type.
        """
        if self.role is not None:
            return _MODEL.validate_python(value, strict=True)
        return _FLAG.validate_python(value).model_dump(mode="json")


VARIABLES: Final[Mapping[str, Known]] = MappingProxyType(
    {
        HOLDOUT: Known("Whether sessions go without a memory by lot, where the configuration asks for it."),
        QUERY_REWRITING: Known("Whether a model rewrites questions, where a call asks for it."),
        "model.chat": Known("The model of chats, where an organisation names none.", Role.CHAT),
        "model.generation": Known(
            "The model that extracts and evaluates, where an organisation names none.", Role.GENERATION
        ),
        "model.pre_retrieval": Known(
            "The model that rewrites questions, where an organisation names none.", Role.PRE_RETRIEVAL
        ),
    }
)
"""Every site variable, by name."""


async def always_on(_flag: str, _org_id: OrgId) -> bool:
    """Turn nothing off."""
    return True


def checked(name: str, value: JsonValue) -> JsonValue:
    """
    Return a variable's value in its stored form.

    Raises:
        InvalidInput: there is no such variable, or the value is of the wrong type.
    """
    try:
        return _known(name).checked(value)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, (name, *fault["loc"])))
        told = _NO_FLAG if fault["type"] == "model_type" else fault["msg"]
        raise InvalidInput(f"{where}: {told}") from error


class Site:
    """
    The installation's variables.

    A change by this process is effective at once; a change by another one as soon as it is announced, or
    after two seconds if the announcement is lost. While the database is down, the last known values hold.
    """

    def __init__(
        self, storage: Storage, topic: Topic, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._storage = storage
        self._topic = topic
        self._monotonic = monotonic
        self._values: Mapping[str, JsonValue] = {}
        self._until = float("-inf")
        self._generation = 0
        self._reading = asyncio.Lock()
        topic.subscribe(self._hear)

    async def refresh(self) -> None:
        """Read the variables unless that was done within two seconds, once for all calls that wait; never fails."""
        if self._monotonic() < self._until:
            return
        async with self._reading:
            now, generation = self._monotonic(), self._generation
            if now < self._until:
                return
            try:
                values = {one.name: one.value for one in await self.list_set()}
            except StorageError as error:
                _log.warning("site.not_read", kind=type(error).__name__)
            else:
                self._values = values
            if generation == self._generation:  # else one was set meanwhile, and these may be those before
                self._until = now + TTL_SECONDS

    async def is_on(self, flag: str, org_id: OrgId) -> bool:
        """Return whether an organisation has the feature of *flag*; an unreadable value counts as unset."""
        await self.refresh()
        try:
            return _FLAG.validate_python(self._values.get(flag, {})).is_on(flag, org_id)
        except ValidationError:
            return FeatureFlag().is_on(flag, org_id)

    def models(self) -> Mapping[Role, str]:
        """Return the default models by role, as of the last `refresh`."""
        if not self._values:
            return NO_DEFAULTS
        found = ((known.role, self._values.get(name)) for name, known in VARIABLES.items())
        return {role: value for role, value in found if role is not None and isinstance(value, str)}

    async def list_set(self) -> list[StoredVariable]:
        """Return the variables that are set, read from the database."""
        async with self._storage.read(_OPERATOR) as snapshot:
            return await snapshot.site.list_all()

    async def set(self, name: str, value: JsonValue, *, by: str) -> StoredVariable:
        """
        Set a variable; the audit log records that *by* did, without the value.

        Raises:
            InvalidInput: there is no such variable, or the value is of the wrong type.
        """
        complete = checked(name, value)
        try:
            async with self._storage.begin(_OPERATOR) as transaction:
                await transaction.audit.lock()
                stored = await transaction.site.put(name, complete, author=by)
                new = NewAuditEntry(action=AuditAction.SITE_VARIABLE_SET, actor=by, target=name)
                await transaction.audit.add(new)
        finally:  # also after a failure: it may be stored nevertheless
            self._drop()
        await self._topic.publish(_SUBJECT)
        return stored

    async def unset(self, name: str, *, by: str) -> None:
        """
        Reset a variable to its default; the audit log records that *by* did.

        Raises:
            InvalidInput: there is no such variable.
            NotFound: it is not set.
        """
        _known(name)
        try:
            async with self._storage.begin(_OPERATOR) as transaction:
                await transaction.audit.lock()
                if not await transaction.site.remove(name):
                    raise NotFound(f"the site variable {name} is not set")
                new = NewAuditEntry(action=AuditAction.SITE_VARIABLE_UNSET, actor=by, target=name)
                await transaction.audit.add(new)
        finally:
            self._drop()
        await self._topic.publish(_SUBJECT)

    def _hear(self, subject: str | None) -> None:
        if subject is None or subject == _SUBJECT:
            self._drop()

    def _drop(self) -> None:
        self._generation += 1
        self._until = float("-inf")


def _known(name: str) -> Known:
    known = VARIABLES.get(name)
    if known is None:
        raise InvalidInput(no_such("site variable", name, list(VARIABLES)))
    return known

"""The queue in Redis or Valkey that all processes share, in ARQ's format. Its jobs are hints and may be lost."""

import asyncio
import json
from collections.abc import Awaitable, Iterable, Sequence
from typing import Any, Protocol, TypeVar, cast

import structlog
from arq.connections import ArqRedis
from arq.constants import in_progress_key_prefix, job_key_prefix
from arq.jobs import serialize_job
from arq.utils import timestamp_ms
from redis.asyncio import ConnectionPool
from redis.exceptions import RedisError

from sagacity.dispatch.job import Job, JobKind
from sagacity.domain.errors import ConfigError

_log = structlog.get_logger(__name__)
_ANSWER_SECONDS = 5.0
_CONNECT_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 2.0
_RECORD_MILLISECONDS = 24 * 3600 * 1000
_JOBS_A_CALL = 100
_LOOK_KEY = "sagacity:look"
_LOOK_SECONDS = 60
_WORKER_KEY = "sagacity:worker"
WORKER_SECONDS = 15
"""How long a worker counts as running after its last note; it writes three in that time."""
_T = TypeVar("_T")

_NOW = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function has_place(places, job, limit)
  redis.call('ZREMRANGEBYSCORE', places, '-inf', now)
  return redis.call('ZSCORE', places, job) or redis.call('ZCARD', places) < limit
end
local function keep_place(places, job, kept)
  redis.call('ZADD', places, now + kept, job)
  redis.call('PEXPIRE', places, kept)
end
"""
_OFFER = f"""{_NOW}
local delay, kept, expiry = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local taken = 0
for n = 1, #KEYS / 3 do
  local record, queue, places = KEYS[3 * n - 2], KEYS[3 * n - 1], KEYS[3 * n]
  local job, text, limit = ARGV[3 * n + 1], ARGV[3 * n + 2], tonumber(ARGV[3 * n + 3])
  if redis.call('ZSCORE', queue, job) then
    redis.call('ZADD', places, 'XX', now + kept, job)
  elseif has_place(places, job, limit) then
    keep_place(places, job, kept)
    redis.call('SET', record, text, 'PX', expiry)
    redis.call('ZADD', queue, now + delay, job)
    taken = taken + 1
  end
end
return taken
"""
_CLAIM = f"""{_NOW}
if not has_place(KEYS[1], ARGV[1], tonumber(ARGV[2])) then
  return 0
end
keep_place(KEYS[1], ARGV[1], tonumber(ARGV[3]))
return 1
"""
_PROLONG = f"""{_NOW}
keep_place(KEYS[1], ARGV[1], tonumber(ARGV[2]))
redis.call('PEXPIRE', KEYS[2], ARGV[2])
"""


class _Scripts(Protocol):
    """The one command that is used; the library's own types do not say that its result is awaitable."""

    def eval(self, script: str, numkeys: int, *keys_and_args: str | bytes | int) -> Awaitable[int | None]: ...


class JobQueue:
    """
    The waiting jobs, and each organisation's slots.

    A job holds one of its organisation's slots from the moment it is queued until it ends, so an organisation with
    much to do never has more than a few jobs ahead of those of others. A slot that nobody renews lapses.

    While Redis cannot be reached every method returns None; the outage is logged at its start and at its end.
    """

    def __init__(
        self, url: str, *, tenant_concurrency: int, lease_seconds: float, gather_seconds: float = 0.5
    ) -> None:
        self.redis = _connected(url)
        self.lease_seconds = lease_seconds
        self.tenant_concurrency = tenant_concurrency
        self._gather_milliseconds = int(gather_seconds * 1000)
        self._kept_milliseconds = max(1, int(lease_seconds * 1000))
        self._is_lost = False

    async def offer(self, jobs: Iterable[Job]) -> int | None:
        """
        Queue *jobs* in order, except those that already wait or run, or whose organisation has no free slot.

        Returns:
            How many were queued.
        """
        taken = 0
        for some in _batches(list(jobs)):
            answer = await self._reply(self._offered(some))
            if answer is None:
                return None
            taken += answer
        return taken

    async def claim(self, job: Job) -> bool | None:
        """Return whether a job that is about to run has a slot, or gets one now."""
        arguments = (job.job_id, self._limit(job), self._kept_milliseconds)
        answer = await self._reply(self._run(_CLAIM, (job.places,), arguments))
        return None if answer is None else bool(answer)

    async def prolong(self, job: Job) -> None:
        """Renew the slot of a running job, and keep others from taking the job over."""
        keys = (job.places, in_progress_key_prefix + job.job_id)
        await self._reply(self._run(_PROLONG, keys, (job.job_id, self._kept_milliseconds)))

    async def release(self, job: Job) -> None:
        """Release the slot of a job that ends."""
        await self._reply(
            self._run("return redis.call('ZREM', KEYS[1], ARGV[1])", (job.places,), (job.job_id,))
        )

    async def request_sweep(self) -> None:
        """Request a sweep of the database from the worker that does sweeps."""
        await self._reply(
            self._run("redis.call('SET', KEYS[1], 1, 'EX', ARGV[1])", (_LOOK_KEY,), (_LOOK_SECONDS,))
        )

    async def is_sweep_requested(self) -> bool | None:
        """Return whether a sweep was requested since the last call."""
        answer = await self._reply(self._run("return redis.call('DEL', KEYS[1])", (_LOOK_KEY,), ()))
        return None if answer is None else bool(answer)

    async def note_worker(self) -> None:
        """Note that a worker is running, for `WORKER_SECONDS` from now."""
        await self._reply(
            self._run("redis.call('SET', KEYS[1], 1, 'EX', ARGV[1])", (_WORKER_KEY,), (WORKER_SECONDS,))
        )

    async def has_worker(self) -> bool | None:
        """Return whether a worker is running, or was some seconds ago."""
        answer = await self._reply(self._run("return redis.call('EXISTS', KEYS[1])", (_WORKER_KEY,), ()))
        return None if answer is None else bool(answer)

    def lost(self, error: Exception) -> None:
        """Record that Redis cannot be reached."""
        if not self._is_lost:
            self._is_lost = True
            _log.warning("redis.lost", kind=type(error).__name__)

    async def found(self) -> None:
        """Wait until Redis answers."""
        pause = 0.1
        while await self._reply(self._run("return 1", (), ())) is None:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    async def close(self) -> None:
        """Close every connection."""
        await self.redis.aclose(close_connection_pool=True)

    def _limit(self, job: Job) -> int:
        return self.tenant_concurrency if job.kind is JobKind.LEARN else 1

    async def _offered(self, jobs: Sequence[Job]) -> int:
        keys = [key for job in jobs for key in (job_key_prefix + job.job_id, job.kind.queue, job.places)]
        described = [part for job in jobs for part in (job.job_id, _record(job), self._limit(job))]
        common = (self._gather_milliseconds, self._kept_milliseconds, _RECORD_MILLISECONDS)
        return await self._run(_OFFER, keys, (*common, *described))

    async def _run(self, script: str, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> int:
        server = cast("_Scripts", self.redis)
        return await server.eval(script, len(keys), *keys, *arguments) or 0

    async def _reply(self, call: Awaitable[_T]) -> _T | None:
        try:
            answer = await call
        except (RedisError, OSError) as error:
            self.lost(error)
            return None
        if self._is_lost:
            self._is_lost = False
            _log.info("redis.found")
        return answer


def to_bytes(record: Any) -> bytes:
    """
    Serialise ARQ's record of a job as JSON, so that those who can write to Redis cannot run code here.

    If ARQ itself ends a job, such as one without a record, the result is an exception; its name is kept.
    """
    return json.dumps(record, default=lambda result: type(result).__name__).encode()


def from_bytes(text: bytes) -> Any:
    """Parse ARQ's record of a job."""
    return json.loads(text)


def _record(job: Job) -> bytes:
    arguments = (job.org_id, job.user_id)
    return serialize_job(str(job.kind), arguments, {}, None, timestamp_ms(), serializer=to_bytes)


def _connected(url: str) -> ArqRedis:
    try:
        pool = ConnectionPool.from_url(  # pyright: ignore[reportUnknownMemberType]  # its options are untyped
            url, socket_timeout=_ANSWER_SECONDS, socket_connect_timeout=_CONNECT_SECONDS
        )
    except ValueError:  # its text may quote the url
        raise ConfigError(
            "setting SAGACITY_REDIS_URL is not a valid URL; write it like redis://localhost:6379/0, "
            "or rediss:// for an encrypted connection"
        ) from None
    return ArqRedis(pool)


def _batches(jobs: list[Job]) -> list[list[Job]]:
    return [jobs[start : start + _JOBS_A_CALL] for start in range(0, len(jobs), _JOBS_A_CALL)]

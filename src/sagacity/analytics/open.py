"""Open the emitters of calls and usage events, as the settings configure them."""

from sagacity.analytics.emitter import Emitter, EmitterPolicy
from sagacity.analytics.writers import CallWriter, UsageWriter
from sagacity.config.choices import erasure_key
from sagacity.config.settings import Settings
from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.clock import Clock
from sagacity.domain.usage import UsageEvent
from sagacity.storage.transaction import Storage

_EVENTS_A_WRITE = 500
"""How many usage events are written together when searches come fast: those of about twenty searches."""


def open_call_emitter(settings: Settings, storage: Storage, clock: Clock) -> Emitter[RequestAnalytics] | None:
    """Return the emitter of recorded calls; None if the settings turn it off."""
    if not settings.analytics_enabled:
        return None
    policy = EmitterPolicy(
        batch_size=settings.analytics_buffer_size, seconds=settings.analytics_flush_seconds
    )
    return Emitter(storage, CallWriter(storage, clock, erasure_key(settings)), policy)


def open_usage_emitter(settings: Settings, storage: Storage, clock: Clock) -> Emitter[UsageEvent] | None:
    """Return the emitter of usage events; None if the settings turn it off."""
    if not settings.usage_events:
        return None
    writer = UsageWriter(storage, clock, erasure_key(settings))
    return Emitter(storage, writer, EmitterPolicy(batch_size=_EVENTS_A_WRITE))

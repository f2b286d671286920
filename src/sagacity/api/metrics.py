"""The server's metrics, for Prometheus."""

from fastapi.responses import PlainTextResponse
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from sagacity.api.dependencies import Administers
from sagacity.api.health import server_version
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.bootstrap import Runtime, WorkerRuntime

router = resource("health", prefix="")


@router.get("/metrics", response_class=PlainTextResponse, openapi_extra=sdk(generated=False))
async def metrics(caller: Administers) -> PlainTextResponse:
    """
    Return this server's metrics and the database's backlog, in the text format of Prometheus.

    They cover all organisations, so only a token of the organisation `self-host-org` is accepted. They name no user
    and no organisation.
    """
    caller.principal.require_operator()
    return await metrics_reply(caller.runtime)


async def metrics_reply(runtime: Runtime | WorkerRuntime) -> PlainTextResponse:
    """Return the metrics of a server or a worker; a worker records no calls."""
    recording = (runtime.analytics, runtime.usage) if isinstance(runtime, Runtime) else ()
    buffers = [one for one in recording if one is not None]
    text = runtime.metrics.text(
        version=server_version(),
        now=runtime.clock.now(),
        backlog=await runtime.backlog.get(),
        connections=runtime.storage.backend.connections,
        unwritten=sum(one.waiting for one in buffers),
        dropped=sum(one.dropped for one in buffers),
        spans=None if runtime.tracer is None else runtime.tracer.counts,
    )
    return PlainTextResponse(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)

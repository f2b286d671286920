"""Structured logs on standard error, without prompts, answers or secrets."""

import logging
import sys

import structlog

from sagacity.observability.tracing import add_trace

_NOISY = (
    *("LiteLLM", "httpx", "httpcore", "openai", "alembic", "aiosqlite", "arq", "sse_starlette"),
    *("botocore", "boto3", "urllib3"),  # whose debug messages hold what is sent: e-mails with their codes
)


def configure_logging(level: str, form: str) -> None:
    """
    Send all logs, also those of libraries, through structlog.

    Args:
        level: debug, info, warning or error.
        form: `json`, `text`, or `auto` for text on a terminal and JSON elsewhere.
    """
    as_text = form == "text" or (form == "auto" and sys.stderr.isatty())
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        add_trace,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    render: list[structlog.typing.Processor] = (
        [
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        ]  # it shows no variables
        if as_text
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for noisy in _NOISY:
        logging.getLogger(noisy).setLevel(max(logging.WARNING, root.level))

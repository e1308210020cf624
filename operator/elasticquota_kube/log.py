"""Configures logging to standard error: JSON for machines, aligned text on a terminal."""

import logging
import sys
from typing import Final, Literal, TextIO

import structlog
from structlog.typing import EventDict

from elasticquota import texts


_LONGEST: Final = 4096
"""Most characters of one value of a line."""
_TRACEBACK: Final = "exception"
"""The value that has several lines; the last one says what was raised."""

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": 30, "error": logging.ERROR}


def configure(
    form: Literal["auto", "json", "text"] = "auto",
    level: str = "info",
    stream: TextIO = sys.stderr,
) -> None:
    """Send the logs of this product and of its libraries to `stream`, from `level` upwards."""
    as_text = form == "text" or (form == "auto" and stream.isatty())
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _cut,
    ]
    if as_text:
        shared.append(_printable)
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(colors=stream.isatty())
        if as_text
        else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(LEVELS[level])


def _cut(_logger: object, _method: str, values: EventDict) -> EventDict:
    """Texts of users may have megabytes. JSON escapes what a terminal would obey."""
    for name, value in values.items():
        if isinstance(value, str) and len(value) > _LONGEST:
            end = value[-_LONGEST // 4 :] if name == _TRACEBACK else ""
            values[name] = f"{value[: _LONGEST - len(end)]}...{end}"
    return values


def _printable(_logger: object, _method: str, values: EventDict) -> EventDict:
    """Each value on one line, but for tracebacks."""
    for name, value in values.items():
        if isinstance(value, str):
            lines = value.split("\n") if name == _TRACEBACK else [value]
            values[name] = "\n".join(map(texts.printable, lines))
    return values

"""Runs the operator's processes: configuration, logs, signals, and one exit for all of them.

SIGTERM and SIGINT cancel the processes, which end in order. When one of several ends, the others
are stopped too, so that the operator never runs in part.
"""

import asyncio
import contextlib
import gc
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path

import structlog

from elasticquota_cli.arguments import config as configurations
from elasticquota_cli.failures.failure import Failure
from elasticquota_config.model import Configuration
from elasticquota_kube import log
from elasticquota_kube.client.credentials.login import CredentialsError


Process = Callable[[Configuration, Path | None], Coroutine[None, None, None]]
"""A coroutine that runs with a configuration and follows the file that it is from."""

logger = structlog.get_logger(__name__)


def run(what: str, config: Path | None) -> None:
    """Run until a signal; raises `Failure` when it cannot start or when a part fails."""
    gc.enable()
    found = configurations.chosen(config) or Configuration()
    log.configure(found.logging.format, found.logging.level)
    asyncio.run(_until_signal(_processes(what), found, config))


def _processes(what: str) -> tuple[Process, ...]:
    found: list[Process] = []
    if what in ("controller", "all"):
        from elasticquota_operator import gc_tuning  # noqa: PLC0415 - loaded by the verb that needs it

        gc_tuning.rest()  # before the other imports, which make many objects too
        from elasticquota_operator import main as controller  # noqa: PLC0415 - loaded by the verb that needs it

        found.append(controller.run)
    if what in ("webhook", "all"):
        from elasticquota_webhooks import main as webhook  # noqa: PLC0415 - loaded by the verb that needs it

        found.append(webhook.run)
    return tuple(found)


async def _until_signal(
    processes: tuple[Process, ...], chosen: Configuration, config: Path | None
) -> None:
    tasks = [asyncio.ensure_future(process(chosen, config)) for process in processes]
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for task in tasks:
            task.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    done, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    for task in (*done, *others):
        with contextlib.suppress(asyncio.CancelledError):
            try:
                await task
            except CredentialsError as error:
                raise Failure(str(error)) from None
            except OSError as error:
                # A port in use, an address that is not ours.
                raise Failure(f"cannot run: {error}") from None
            except Exception as error:
                logger.exception("a part of the process broke")
                raise Failure(f"ended because a part broke: {_innermost(error)}") from None


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"

"""The controller process: Kopf runs the operator of ``handlers`` until it is stopped.

We stop Kopf by its flag and never cancel it, because a canceled Kopf skips the cleanup handler:
the Lease would expire instead of being released.
"""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import kopf
import structlog

from elasticquota_config.model import Configuration
from elasticquota_kube import listening
from elasticquota_operator import environment, handlers  # noqa: F401 - registers with Kopf
from elasticquota_operator.runtime import Runtime


log = structlog.get_logger(__name__)


async def run(configuration: Configuration, file: Path | None = None) -> None:
    """Run the controller until canceled, and apply changes of ``file``.

    Raises `CredentialsError`, `OSError` for a port in use, or the error of a part.
    """
    found = environment.runtime(configuration, file)
    await operate(found, listening.hosts(), environment.liveness_endpoint(configuration))


async def operate(found: Runtime, hosts: Sequence[str], liveness: str | None) -> None:
    """Run ``found`` under Kopf until canceled; raise the error of a part."""
    await found.listen(hosts)
    running = asyncio.create_task(_operator(found, liveness), name="Kopf")
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        found.ended.set()
        await running
        raise
    finally:
        await found.stop()  # Kopf runs no cleanup handler when it is stopped during the start
    if found.failure is not None:
        raise found.failure


async def _operator(found: Runtime, liveness: str | None) -> None:
    tasks = await kopf.spawn_tasks(
        memo=kopf.Memo(runtime=found),
        clusterwide=True,
        standalone=True,
        stop_flag=found.ended,
        liveness_endpoint=liveness,
    )
    await kopf.run_tasks(tasks, ignored=Others())


class Others(Collection[asyncio.Task[Any]]):
    """Tasks that are not Kopf's: at its end Kopf cancels all that did not exist at its start.

    The webhook's tasks run in the same loop under ``elastic-quota run all``. Kopf's own tasks end
    with the root tasks that they belong to, and ours in the cleanup handler.
    """

    def __contains__(self, _task: object) -> bool:
        return True

    def __iter__(self) -> Iterator[asyncio.Task[Any]]:
        return iter(())

    def __len__(self) -> int:
        return 0

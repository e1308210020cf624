"""Runs the work of a verb with the user's own credentials for a cluster."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from elasticquota_cli.failure import Failure
from elasticquota_kube.client import credentials
from elasticquota_kube.client.api import Api


T = TypeVar("T")


def run(work: Callable[[Api], Awaitable[T]], kubeconfig: Path | None) -> T:
    """The result of ``work``; raises its errors, and `Failure` without usable credentials."""

    async def connected() -> T:
        async with Api(credentials.load(kubeconfig)) as api:
            return await work(api)

    try:
        return asyncio.run(connected())
    except credentials.CredentialsError as error:
        raise Failure(str(error)) from None

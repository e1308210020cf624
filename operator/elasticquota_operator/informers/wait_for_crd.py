"""Wait until a kind is served that may be installed later; its absence is no error, logged once.

The rest of the process does not wait for it, nor for a kind that we may not read.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from elasticquota_kube.client.api import Api
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.client.paths import Resource


ASKS_EVERY: Final = 10.0
"""Seconds between two questions for a kind that is not served."""

log = structlog.get_logger(__name__)


async def first(
    api: Api,
    resources: Sequence[Resource],
    every: float = ASKS_EVERY,
    *,
    on_absent: Callable[[], None] = lambda: None,
) -> Resource:
    """The first of these that the API server knows, as soon as it knows one.

    ``on_absent`` is called when it turns out that its objects will not be read soon.
    """
    said = False
    while True:
        for resource in resources:
            try:
                await api.page(resource)
            except ApiError as error:
                if error.is_forbidden:
                    on_absent()
                if not error.is_not_found:
                    return resource  # whatever it is, a reflector knows how to go on
            else:
                return resource
        if not said:
            said = True
            on_absent()
            kind = f"{resources[0].plural}.{resources[0].group}"
            log.info("not installed, waiting for it", definition=kind)
        await asyncio.sleep(every)

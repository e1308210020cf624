"""Measures the most expensive review of those built to be expensive, in processor time.

The reviews are those of the tests, which check memory and answers:
``tests/support/generators/hostile.py``.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterator

import structlog

import hostile
from benchmarks import measure, webhook_process
from benchmarks.table import Row, Target
from elasticquota.wire.admission import review
from elasticquota_config.model import Configuration
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_webhooks import routes
from elasticquota_webhooks.cache import reflectors
from elasticquota_webhooks.cache.live_quotas import LiveQuotas
from elasticquota_webhooks.reviews.metrics import Metrics
from elasticquota_webhooks.reviews.reviews import Reviews


TURNS = 3


def all_cases() -> Iterator[Row]:
    """The most expensive review within each size limit, the best of three runs."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    for name, room in hostile.ROOMS.items():
        measure.say(f"hostile reviews: {name}")
        seconds, which = asyncio.run(_dearest(room))
        yield Row(
            f"hostile reviews, {name}: the dearest", seconds * 1e3, "ms", Target(50), note=which
        )


async def _dearest(room: hostile.SizeLimits) -> tuple[float, str]:
    async with Api(Credentials(webhook_process.NOBODY)) as api:
        caches = webhook_process.filled()
        live_quotas = LiveQuotas(api, reflectors.of_quotas(api, caches))
        by_path = routes.table(caches, live_quotas, api, Configuration(), Metrics())
        return max(
            [
                (min([await _took(by_path[path], body) for _ in range(TURNS)]), f"{name} to {path}")
                for name, path, body in hostile.bodies(room)
            ]
        )


async def _took(reviews: Reviews, body: bytes) -> float:
    started = time.process_time()
    with contextlib.suppress(review.ReviewError):  # an answer too
        await reviews.answer(body)
    return time.process_time() - started

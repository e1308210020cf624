"""A loop waits after failures, longer after each one in a row, and never gives up by itself."""

import asyncio

import pytest

import virtual_time
from elasticquota_kube.client import retry
from elasticquota_kube.client.rest.errors import ApiError


class Attempts:
    """An attempt that takes a second; ``outcomes`` says which ones raise."""

    def __init__(self, *outcomes: Exception | None) -> None:
        self.started: list[float] = []
        self.failures: list[tuple[int, float]] = []
        self.loop = retry.Loop(lambda failures: 10.0 * failures)
        self._outcomes = list(outcomes)

    async def run(self) -> None:
        await self.loop.run(self._attempt, self._failed)

    async def _attempt(self) -> None:
        self.started.append(virtual_time.now() - 1000)
        await asyncio.sleep(1)
        error = self._outcomes.pop(0) if self._outcomes else None
        if error is not None:
            raise error

    def _failed(self, _error: Exception, seconds: float) -> None:
        self.failures.append((self.loop.failures, seconds))


def away() -> ApiError:
    return ApiError(503, "ServiceUnavailable", "later")


@virtual_time.scene
async def test_a_loop_waits_longer_after_each_failure_and_not_after_a_success() -> None:
    attempts = Attempts(away(), away(), None, away())
    running = asyncio.create_task(attempts.run())
    await asyncio.sleep(46.5)
    running.cancel()
    assert attempts.started == [0.0, 11.0, 32.0, 33.0, 44.0, 45.0, 46.0]
    assert attempts.failures == [(1, 10.0), (2, 20.0), (1, 10.0)]


@virtual_time.scene
async def test_another_error_ends_the_loop() -> None:
    attempts = Attempts(away(), ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        await attempts.run()
    assert len(attempts.started) == 2


@virtual_time.scene
async def test_progress_in_an_attempt_forgets_the_failures() -> None:
    attempts = Attempts(away(), away())
    running = asyncio.create_task(attempts.run())
    await asyncio.sleep(11.5)
    attempts.loop.failures = 0
    await asyncio.sleep(1)
    running.cancel()
    assert attempts.failures == [(1, 10.0), (1, 10.0)]

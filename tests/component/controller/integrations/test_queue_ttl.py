"""A queue is deleted some time after its last request, and not before."""

import asyncio

from api_double.waiting import until
from elasticquota_operator.integrations.queue_ttl import QueueTtl


ANN, BOB = ("root", "ann"), ("root", "bob")
WHILE = 0.2


async def test_a_queue_that_is_requested_again_restarts_its_timer() -> None:
    now = asyncio.get_running_loop().time
    ended: list[float] = []
    found = QueueTtl(WHILE, lambda: ended.append(now()))
    found.are(frozenset({ANN, BOB}))
    found.are(frozenset({BOB}))
    left = now()
    await until(lambda: now() > left + WHILE / 2)
    assert found.paths == {ANN, BOB}
    found.are(frozenset({ANN, BOB}))
    found.are(frozenset({BOB}))
    left = now()
    await until(lambda: ended)
    assert ended[0] >= left + WHILE
    assert found.paths == {BOB}


async def test_a_lingering_queue_does_not_block_a_queue_below_it() -> None:
    found = QueueTtl(WHILE, lambda: None)
    found.are(frozenset({ANN}))
    below = (*ANN, "more")
    found.are(frozenset({below}))
    assert found.paths == {below}

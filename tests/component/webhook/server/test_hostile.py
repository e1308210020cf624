"""No review costs more than 20 MiB, whatever is in it; how long one takes, benchmarks tell."""

import tracemalloc

import pytest

import hostile
from elasticquota.wire.kubernetes import review
from elasticquota_webhooks.handlers.reviews import Reviews
from webhook_fixture import Door


MOST_BYTES = 20 * 1024 * 1024


async def answered(reviews: Reviews, body: bytes) -> str:
    """The answer, or why there is none; anything else would be a fault of ours."""
    try:
        return (await reviews.answer(body)).decode()
    except review.ReviewError as error:
        return str(error)


@pytest.mark.parametrize("room", hostile.ROOMS.values(), ids=hostile.ROOMS)
async def test_no_review_takes_much_memory(door: Door, room: hostile.Room) -> None:
    door.fill()
    greedy = []
    for name, path, body in hostile.bodies(room):
        tracemalloc.start()
        await answered(door.reviews[path], body)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        if most + len(body) > MOST_BYTES:
            greedy.append(f"{name} to {path}: {(most + len(body)) / 2**20:.1f} MiB")
    assert not greedy, "\n".join(greedy)

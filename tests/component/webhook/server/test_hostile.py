"""No review needs more than 20 MiB, whatever it contains; benchmarks measure the times."""

import tracemalloc

import pytest

import hostile
from elasticquota.wire.admission import review
from elasticquota_webhooks.reviews.reviews import Reviews
from webhook_fixture import WebhookReplica


MOST_BYTES = 20 * 1024 * 1024


async def answered(reviews: Reviews, body: bytes) -> str:
    """The answer, or the refusal; any other error would be a fault of the webhook."""
    try:
        return (await reviews.answer(body)).decode()
    except review.ReviewError as error:
        return str(error)


@pytest.mark.parametrize("room", hostile.ROOMS.values(), ids=hostile.ROOMS)
async def test_no_review_takes_much_memory(
    webhook: WebhookReplica, room: hostile.SizeLimits
) -> None:
    webhook.fill()
    greedy = []
    for name, path, body in hostile.bodies(room):
        tracemalloc.start()
        await answered(webhook.reviews[path], body)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        if most + len(body) > MOST_BYTES:
            greedy.append(f"{name} to {path}: {(most + len(body)) / 2**20:.1f} MiB")
    assert not greedy, "\n".join(greedy)

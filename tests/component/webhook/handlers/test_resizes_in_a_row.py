"""Several pods grow before the figures of their quotas show it, as a resizer makes them."""

from collections.abc import Callable
from typing import Any

import pytest

from elasticquota_webhooks.cache import assumed_growths
from webhook_fixture import Document, WebhookReplica, parent, pod, quota, review, standing


PATH = "/validate/resize"


def show(webhook: WebhookReplica, **used: int) -> None:
    """A tree of 12 cpu; a and b are guaranteed 4 each, may use 8, and use what is given."""
    root = parent("pool", {"cpu": "12"}, is_root="true", tree="7")
    webhook.fill(
        standing(root, sum(used.values()), sum(used.values()), 12),
        *(
            standing(quota(name, {"cpu": "4"}, {"cpu": "8"}, parent="pool"), cpu, cpu, cpu)
            for name, cpu in used.items()
        ),
    )


def sized(name: str, cpu: int, label: str = "a") -> Document:
    resources = {"requests": {"cpu": str(cpu)}}
    made = pod(label, name=name, containers=[{"name": "main", "resources": resources}])
    made["metadata"]["uid"] = f"uid-{name}"
    return made | {"status": {"phase": "Running"}}


Grow = Callable[..., Any]


@pytest.fixture
def grow(webhook: WebhookReplica) -> Grow:
    """Ask for the growth of a pod; returns the message of the refusal, empty when it may grow."""
    show(webhook, a=4, b=4)

    async def asked(
        name: str, before: int, after: int, label: str = "a", *, dry_run: bool = False
    ) -> str:
        old, new = sized(name, before, label), sized(name, after, label)
        question = review(new, old, subResource="resize", dry_run=dry_run)
        response = await webhook.ask(PATH, question)
        return "" if response["allowed"] else response["status"]["message"]

    return asked


async def test_the_second_of_two_growths_gets_what_the_first_left(grow: Grow) -> None:
    assert await grow("one", 1, 4) == ""
    assert "needs 2 cpu more; quota 'a' has 1 of its current share of 8 left" in (
        await grow("two", 1, 3)
    )
    assert await grow("two", 1, 2) == ""


async def test_a_growth_in_another_quota_counts_in_the_quota_above_both(grow: Grow) -> None:
    assert await grow("one", 1, 5, "a") == ""
    assert "needs 1 cpu more; quota" in await grow("two", 1, 2, "b")


async def test_a_growth_counts_once_when_the_figures_show_it(
    grow: Grow, webhook: WebhookReplica
) -> None:
    assert await grow("one", 1, 3) == ""
    show(webhook, a=6, b=4)
    assert await grow("two", 1, 3) == ""
    assert "has 0 of its current share" in await grow("three", 1, 2)


async def test_a_growth_that_was_never_made_is_forgotten_after_three_seconds(
    grow: Grow, webhook: WebhookReplica
) -> None:
    assert await grow("one", 1, 5) == ""
    webhook.now += assumed_growths.FORGOTTEN_AFTER - 0.1
    assert await grow("two", 1, 2) != ""
    webhook.now += 0.2
    assert await grow("two", 1, 5) == ""


async def test_a_pod_that_asks_again_from_the_same_size_counts_once(grow: Grow) -> None:
    for _ in range(3):
        assert await grow("one", 1, 4) == ""
    assert await grow("two", 1, 2) == ""


async def test_a_pod_that_grows_step_by_step_counts_with_every_step(grow: Grow) -> None:
    assert await grow("one", 1, 3) == ""
    assert await grow("one", 3, 5) == ""
    assert await grow("one", 5, 6) != ""


async def test_a_refused_growth_and_a_dry_run_count_for_nothing(grow: Grow) -> None:
    assert await grow("one", 1, 9) != ""
    assert await grow("one", 1, 5, dry_run=True) == ""
    assert await grow("two", 1, 5) == ""


async def test_growths_add_up_over_the_seconds(grow: Grow, webhook: WebhookReplica) -> None:
    for name in ("one", "two", "three", "four"):
        assert await grow(name, 1, 2) == ""
        webhook.now += 0.5
    assert "has 0 of its current share" in await grow("five", 1, 2)
    webhook.now += 1.1  # the first is forgotten
    assert await grow("five", 1, 2) == ""
    assert await grow("six", 1, 2) != ""

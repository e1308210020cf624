"""A dry run of a pod is answered with whether it would wait, and for how long."""

from typing import Any

import pytest

from elasticquota.forecast import pod_summary
from webhook_fixture import Document, WebhookReplica, parent, pod, quota, standing


ROOT = standing(
    parent("pool", {"cpu": "12"}, is_root="true", tree="t"), request=12, admitted=10, runtime=12
)
FULL = standing(quota("full", {"cpu": "4"}, {"cpu": "12"}, parent="pool", tree="t"), 8, 6, 6)
FREE = standing(quota("free", {"cpu": "4"}, {"cpu": "12"}, parent="pool", tree="t"), 4, 4, 6)
MORE = "More: kubectl elastic-quota plan -f FILE"


async def warnings(webhook: WebhookReplica, new: Document, **how: Any) -> list[str]:
    _, answer = await webhook.mutate("/mutate/pod", new, dry_run=True, **how)
    found: list[str] = answer.get("warnings", [])
    return found


async def test_a_pod_with_room_is_said_to_have_it(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, FREE)
    assert await warnings(webhook, pod("free")) == [f"Quota free has room for the pod now. {MORE}"]


async def test_a_pod_without_room_gets_what_is_left_and_how_many_wait(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(ROOT, FULL)
    assert await warnings(webhook, pod("full")) == [
        "The pod would wait in quota full; 1 cpu asked, 0 of its share of 6 left; 2 pods wait "
        f"there already. {MORE}"
    ]


async def test_the_published_estimate_is_that_of_the_end_of_the_queue(
    webhook: WebhookReplica,
) -> None:
    estimated = {**FULL, "status": dict(FULL["status"])}
    estimated["status"]["waitEstimate"] = {
        "observedTime": "2026-11-25T12:00:00Z",
        "positions": [
            {"position": 1, "lowSeconds": 300, "highSeconds": 600},
            {"position": 3, "lowSeconds": 600, "highSeconds": 2400},
        ],
    }
    webhook.fill(ROOT, estimated)
    (said,) = await warnings(webhook, pod("full"))
    assert "behind them it is expected to start in 10 to 40 min" in said


async def test_a_pod_within_the_guarantee_may_evict_others(webhook: WebhookReplica) -> None:
    owed = standing(quota("owed", {"cpu": "4"}, {"cpu": "12"}, parent="pool", tree="t"), 2, 2, 2)
    webhook.fill(ROOT, owed)
    (said,) = await warnings(webhook, pod("owed"))
    assert "it is within the guarantee, so pods of other quotas may be evicted for it" in said


async def test_a_quota_above_without_room_is_not_named(webhook: WebhookReplica) -> None:
    full = {**ROOT, "status": {**ROOT["status"], "runtime": {"cpu": "10"}}}
    webhook.fill(full, FREE)
    (said,) = await warnings(webhook, pod("free"))
    assert said.startswith("The pod would wait in quota free; a quota above it has no room")
    assert "pool" not in said


async def test_only_a_dry_run_of_a_user_is_answered(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, FULL)
    _, answer = await webhook.mutate("/mutate/pod", pod("full"))
    assert "warnings" not in answer
    of_a_job = pod("full")
    of_a_job["metadata"]["ownerReferences"] = [
        {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True}
    ]
    assert await warnings(webhook, of_a_job) == []


@pytest.mark.parametrize("status", [None, 7, {"runtime": {"cpu": "much"}, "pods": 7}])
async def test_a_status_that_is_not_understood_is_no_reason_to_fail(
    webhook: WebhookReplica, status: Any
) -> None:
    webhook.fill(ROOT, {**FULL, "status": status})
    assert all(MORE in each for each in await warnings(webhook, pod("full")))


async def test_a_fault_in_the_summary_refuses_no_pod(
    webhook: WebhookReplica, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    webhook.fill(ROOT, FULL)
    monkeypatch.setattr(pod_summary, "of", fail)
    assert await warnings(webhook, pod("full")) == []

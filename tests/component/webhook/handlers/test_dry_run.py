"""A dry run of pods is answered with what would become of them."""

import copy
from typing import Any

import pytest

from elasticquota import names
from elasticquota.forecast import pod_summary
from elasticquota_webhooks.handlers.token_bucket import TokenBucketRateLimiter
from webhook_fixture import Document, WebhookReplica, parent, pod, quota, review, standing


ROOT = standing(
    parent("pool", {"cpu": "12"}, is_root="true", tree="t"), request=12, admitted=10, runtime=12
)
FULL = standing(quota("full", {"cpu": "4"}, {"cpu": "12"}, parent="pool", tree="t"), 8, 6, 6)
FREE = standing(quota("free", {"cpu": "4"}, {"cpu": "12"}, parent="pool", tree="t"), 4, 4, 4)
IDLE = standing(quota("idle", {"cpu": "4"}, {"cpu": "12"}, parent="pool", tree="t"), 0, 0, 0)
BORROWER = standing(quota("rich", {"cpu": "2"}, {"cpu": "12"}, parent="pool", tree="t"), 12, 12, 12)
MORE = "More: kubectl elastic-quota plan -f FILE"


def workload(kind: str, label: str, **spec: Any) -> Document:
    template = pod(label)
    return {
        "apiVersion": "batch/v1" if kind == "Job" else "apps/v1",
        "kind": kind,
        "metadata": {"name": "w", "namespace": "team"},
        "spec": {"template": {key: template[key] for key in ("metadata", "spec")}, **spec},
    }


async def warnings(webhook: WebhookReplica, new: Document, **how: Any) -> list[str]:
    asked = review(new, **{"dry_run": True, **how})
    answer = await webhook.ask("/validate/dry-run", asked)
    assert answer["allowed"]
    found: list[str] = answer.get("warnings", [])
    return found


async def test_a_pod_with_room_is_said_to_have_it(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, FREE)
    assert await warnings(webhook, pod("free")) == [
        f"Pod p: Quota free has room for the pod now. {MORE}"
    ]


async def test_the_share_of_a_quota_grows_with_what_its_pods_ask_for(
    webhook: WebhookReplica,
) -> None:
    webhook.fill({**ROOT, "status": {"runtime": {"cpu": "12"}}}, IDLE)
    assert IDLE["status"]["runtime"] == {"cpu": "0"}
    assert await warnings(webhook, workload("Deployment", "idle", replicas=12)) == [
        f"Deployment w: Quota idle has room for all 12 pods now. {MORE}"
    ]


async def test_the_min_of_a_quota_that_does_not_lend_is_room_while_it_is_idle(
    webhook: WebhookReplica,
) -> None:
    """Its request is at least its min, whatever its pods ask for."""
    keeps = quota("keeps", {"cpu": "4"}, {"cpu": "4"}, parent="pool", tree="t")
    keeps["metadata"]["labels"][names.ALLOW_LENT] = "false"
    webhook.fill({**ROOT, "status": {"runtime": {"cpu": "12"}}}, standing(keeps, 4, 0, 4))
    assert await warnings(webhook, pod("keeps")) == [
        f"Pod p: Quota keeps has room for the pod now. {MORE}"
    ]
    webhook.fill(standing(keeps, 4, 4, 4))
    (said,) = await warnings(webhook, pod("keeps"))
    assert "would wait for quota keeps" in said


@pytest.mark.parametrize("at", ["pool", "free"])
async def test_a_max_of_pods_is_room_for_no_more(at: str, webhook: WebhookReplica) -> None:
    root, free = copy.deepcopy([ROOT, FREE])
    for each in (root, free):
        each["status"]["request"]["pods"] = each["status"]["admitted"]["pods"]
    limit = {"pool": "12", "free": "6"}[at]
    {"pool": root, "free": free}[at]["spec"]["max"]["pods"] = limit
    webhook.fill(root, free)
    assert await warnings(webhook, pod("free")) == [
        f"Pod p: Quota free has room for the pod now. {MORE}"
    ]
    (said,) = await warnings(webhook, workload("Deployment", "free", replicas=4))
    assert said.startswith(
        "Deployment w: Quota free has room for 2 of 4 pods now. The 2 others would wait for quota "
        "free: each needs 1 pod slot; 4 of its share of 6 are in use"
    )


@pytest.mark.parametrize(
    ("paused", "whose"), [("free", "quota free"), ("pool", "a quota above quota free")]
)
async def test_no_room_is_promised_in_a_quota_that_is_paused(
    paused: str, whose: str, webhook: WebhookReplica
) -> None:
    root, free = copy.deepcopy([ROOT, FREE])
    found = {"pool": root, "free": free}[paused]
    found["spec"]["paused"] = True
    webhook.fill(root, free)
    assert await warnings(webhook, pod("free")) == [
        f"Pod p: The pod would wait: {whose} is paused (spec.paused), so no pod starts "
        f"in it or below it meanwhile. {MORE}"
    ]


async def test_a_pod_without_room_gets_what_is_in_use_and_its_position(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(ROOT, FULL, BORROWER)
    assert await warnings(webhook, pod("full")) == [
        "Pod p: The pod would wait for quota full: needs 1 cpu; 6 of its share of 7 are in use "
        f"(guaranteed 4, limit 12). Position 3 at most. {MORE}"
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
    webhook.fill(ROOT, estimated, BORROWER)
    (said,) = await warnings(webhook, pod("full"))
    assert said.endswith(f"Position 3 at most. Expected to start in 10 to 40 min. {MORE}")


async def test_a_pod_within_the_guarantee_says_how_much_is_reclaimed_for_it(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(ROOT, IDLE, BORROWER)
    assert await warnings(webhook, pod("idle")) == [
        "Pod p: Quota idle has room for the pod within its guarantee: up to 1 cpu may be reclaimed "
        f"for it from 1 other quota, after 5 s. {MORE}"
    ]


async def test_a_job_says_how_many_of_its_pods_start_and_wait(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, IDLE, BORROWER)
    job = workload("Job", "idle", parallelism=20, completions=9)
    assert await warnings(webhook, job) == [
        "Job w: Quota idle has room for 7 of 9 pods within its current share: up to 7 cpu may be "
        "reclaimed for them from 1 other quota, after 2 min. The 2 others would wait for quota "
        "idle: each needs 1 cpu; 0 of its share of 7 are in use (guaranteed 4, limit 12). Position "
        f"1 at most for the first of them. {MORE}"
    ]


@pytest.mark.parametrize(("most", "whose"), [("12", "a quota above it"), ("8", "quota idle")])
async def test_a_pod_beyond_a_max_is_said_to_never_start(
    webhook: WebhookReplica, most: str, whose: str
) -> None:
    root = {**ROOT, "spec": {"max": {"cpu": "12"}}}
    webhook.fill(
        root, {**IDLE, "spec": {**IDLE["spec"], "max": {"cpu": {"12": "16"}.get(most, most)}}}
    )
    large = pod("idle")
    large["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "13"
    assert await warnings(webhook, large) == [
        f"Pod p: The pod can never start in quota idle: needs 13 cpu, and the limit of {whose} is "
        f"{most}. {MORE}"
    ]


async def test_an_invalid_value_is_said_to_be_ignored(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, FREE)
    new = pod("free")
    new["metadata"]["labels"] |= {"quota.scheduling.koordinator.sh/preemptible": "maybe"}
    ignored, _ = await warnings(webhook, new)
    assert ignored == (
        "metadata: quota.scheduling.koordinator.sh/preemptible must be true or false, got 'maybe'; "
        "it is ignored"
    )


async def test_dry_runs_beyond_their_part_of_a_second_are_not_computed(
    webhook: WebhookReplica, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a tenant who sends many keeps the webhook from other requests."""
    taken: list[int] = []

    def take(_bucket: TokenBucketRateLimiter, tokens: int) -> bool:
        taken.append(tokens)
        return len(taken) < 2

    monkeypatch.setattr(TokenBucketRateLimiter, "take", take)
    webhook.fill(ROOT, FREE, IDLE)
    assert "has room" in (await warnings(webhook, pod("free")))[0]
    assert await warnings(webhook, pod("free")) == [
        "Pod p: not computed, because too many dry runs came within a second; try again"
    ]
    assert taken == [3, 3], "three quotas, one resource"


async def test_a_suspended_job_makes_no_pods_yet(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, FREE)
    assert await warnings(webhook, workload("Job", "free", suspend=True)) == []


async def test_what_its_pods_would_be_refused_for_is_said_of_a_workload(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(ROOT, FREE)
    (said,) = await warnings(webhook, workload("StatefulSet", "pool", replicas=2))
    assert "[PD1301]" in said


async def test_a_mistyped_label_of_a_template_is_said(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, FREE)
    job = workload("Job", "free")
    job["spec"]["template"]["metadata"]["labels"] |= {
        "quota.scheduling.koordinator.sh/preemptable": "false"
    }
    mistyped, _ = await warnings(webhook, job)
    assert mistyped == (
        "spec.template.metadata.labels[quota.scheduling.koordinator.sh/preemptable]: has no "
        "effect; did you mean preemptible?"
    )


async def test_only_a_dry_run_of_a_creation_by_a_user_is_answered(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, FULL)
    assert await warnings(webhook, pod("full"), dry_run=False) == []
    assert await warnings(webhook, pod("full"), old=pod("full")) == []
    owned = [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True}]
    for new in (pod("full"), workload("Job", "full")):
        new["metadata"]["ownerReferences"] = owned
        assert await warnings(webhook, new) == []


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


@pytest.mark.parametrize("spec", [7, {"template": 7}, {"replicas": "many"}])
async def test_a_workload_that_cannot_be_read_is_left_to_the_api_server(
    webhook: WebhookReplica, spec: Any
) -> None:
    webhook.fill(ROOT, FULL)
    assert await warnings(webhook, {**workload("Job", "full"), "spec": spec}) == []

"""An edit of a quota is answered with what it does, as far as published figures show it."""

import copy
from typing import Any

import pytest

from elasticquota import names
from elasticquota.forecast import edit_shares
from webhook_fixture import (
    CONTROLLER,
    NAMESPACE,
    Document,
    WebhookReplica,
    parent,
    profile,
    quota,
    review,
    standing,
)


def edited(manifest: Document, **sides: int) -> Document:
    found = copy.deepcopy(manifest)
    for side, amount in sides.items():
        found["spec"][side] = {"cpu": str(amount)}
    return found


ROOT = standing(
    parent("pool", {"cpu": "12"}, is_root="true", tree="t"), request=14, admitted=12, runtime=12
)
MINE = standing(
    quota("mine", {"cpu": "4"}, {"cpu": "12"}, parent="pool", tree="t"), 10, admitted=6, runtime=8
)
THEIRS = standing(
    quota("their-secret", {"cpu": "0"}, {"cpu": "12"}, parent="pool", tree="t"), 6, 6, 6
)
MORE = "More: kubectl elastic-quota plan -f FILE"


async def warnings(webhook: WebhookReplica, new: Document, old: Document, **how: Any) -> list[str]:
    """What is said besides that the max is below what is used."""
    answer = await webhook.validate(new, old, **how)
    assert answer["allowed"], answer
    return [each for each in answer.get("warnings", ()) if "[EQ1112]" not in each]


async def test_a_raised_min_says_what_may_be_reclaimed_and_names_no_other_quota(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(ROOT, MINE, THEIRS)
    (said,) = await warnings(webhook, edited(MINE, min=8), MINE)
    assert said == (
        "The share of mine grows from 8 to 10 cpu; up to 2 cpu may be reclaimed for its waiting "
        f"pods from 1 other quota with 6 pods, within 5 s. {MORE}"
    )
    assert "secret" not in said


async def test_a_lowered_max_says_what_is_evicted(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, MINE, THEIRS)
    (said,) = await warnings(webhook, edited(MINE, max=5), MINE)
    assert said.startswith(
        "Pods of mine hold 6 cpu, beyond the new max: pods with at least 1 cpu would be evicted "
        "after 2 min; the share of mine falls from 8 to 5 cpu"
    )


async def test_a_dry_run_gets_the_same_answer(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, MINE, THEIRS)
    assert len(await warnings(webhook, edited(MINE, min=8), MINE, dry_run=True)) == 1


async def test_an_edit_of_labels_is_not_commented(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, MINE, THEIRS)
    labeled = copy.deepcopy(MINE)
    labeled["metadata"]["labels"]["cost-center"] = "7"
    assert await warnings(webhook, labeled, MINE) == []


async def test_the_controllers_own_writes_are_not_commented(webhook: WebhookReplica) -> None:
    webhook.fill(ROOT, MINE, THEIRS)
    assert await warnings(webhook, edited(MINE, min=8), MINE, user=CONTROLLER) == []


async def test_without_published_figures_nothing_is_said(webhook: WebhookReplica) -> None:
    plain = [{**each, "status": {}} for each in (ROOT, MINE, THEIRS)]
    webhook.fill(*plain)
    assert await warnings(webhook, edited(plain[1], max=5), plain[1]) == []


@pytest.mark.parametrize("status", [7, {"runtime": 7}, {"runtime": {"cpu": "much"}}, None])
async def test_a_status_that_is_not_understood_is_no_reason_to_refuse(
    webhook: WebhookReplica, status: Any
) -> None:
    odd = [{**each, "status": status} for each in (ROOT, MINE, THEIRS)]
    webhook.fill(*odd)
    assert await warnings(webhook, edited(odd[1], max=5), odd[1]) == []


async def test_a_fault_in_the_summary_refuses_no_edit(
    webhook: WebhookReplica, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    webhook.fill(ROOT, MINE, THEIRS)
    monkeypatch.setattr(edit_shares, "keys", fail)
    assert await warnings(webhook, edited(MINE, min=8), MINE) == []


async def test_a_tree_in_observe_mode_evicts_nothing(webhook: WebhookReplica) -> None:
    root = copy.deepcopy(ROOT)
    root["spec"]["tree"] = {"enforcement": "Observe"}
    webhook.fill(root, MINE, THEIRS)
    assert await warnings(webhook, edited(MINE, max=5), MINE) == []


async def test_the_root_of_the_default_tree_is_looked_up_where_its_object_is(
    webhook: WebhookReplica,
) -> None:
    root = quota("koordinator-root-quota", namespace=NAMESPACE, is_parent="true")
    teams = [quota(name, {"cpu": "0"}, {"cpu": "12"}) for name in ("mine", "theirs")]
    mine, theirs = standing(teams[0], 10, 6, 6), standing(teams[1], 6, 6, 6)
    webhook.fill(standing(root, 14, 12, 12), mine, theirs)
    (said,) = await warnings(webhook, edited(mine, min=8), mine)
    assert said.startswith("The share of mine grows from 6 to 10 cpu; up to 4 cpu may be reclaimed")


def waiting(manifest: Document, pods: int) -> Document:
    """The quota with so many pods at the gate."""
    return {**manifest, "status": {**manifest.get("status", {}), "pods": {"gated": pods}}}


def in_mode(manifest: Document, mode: str | None) -> Document:
    found = copy.deepcopy(manifest)
    said = {"enforcement": mode}
    found["spec"] |= {"tree": said} if found["kind"] == names.QUOTA_KIND else said
    return found


STARTS = (
    "42 pods of the tree that wait now will be released at once, whatever the quotas say, and no "
    "pod is evicted for others while the tree observes"
)


async def test_a_root_that_begins_to_observe_says_how_many_pods_start(
    webhook: WebhookReplica,
) -> None:
    root = waiting(ROOT, 42)
    webhook.fill(root, MINE, THEIRS)
    assert await warnings(webhook, in_mode(root, "Observe"), root) == [STARTS]
    assert await warnings(webhook, in_mode(root, "Enforce"), root) == []


async def test_the_root_of_the_default_tree_says_it_too(webhook: WebhookReplica) -> None:
    root = waiting(quota("koordinator-root-quota", namespace=NAMESPACE, is_parent="true"), 42)
    webhook.fill(root)
    assert await warnings(webhook, in_mode(root, "Observe"), root) == [STARTS]


async def test_a_quota_below_the_root_and_a_tree_that_observes_say_nothing_of_it(
    webhook: WebhookReplica,
) -> None:
    mine = waiting(MINE, 42)
    webhook.fill(waiting(ROOT, 42), mine, THEIRS)
    assert STARTS not in await warnings(webhook, in_mode(mine, "Observe"), mine)
    root = in_mode(waiting(ROOT, 42), "Observe")
    webhook.fill(root, mine, THEIRS)
    assert await warnings(webhook, in_mode(root, None), root) == []


@pytest.mark.parametrize(("pods", "said"), [(42, [STARTS]), (0, [])])
async def test_a_profile_whose_tree_begins_to_observe_says_how_many_pods_start(
    webhook: WebhookReplica, pods: int, said: list[str]
) -> None:
    gpu = profile("gpu", "pool", pool="gpu")
    root = waiting(ROOT, pods)
    root["metadata"] |= {"namespace": gpu["metadata"]["namespace"]}
    root["metadata"]["labels"] = {
        **root["metadata"]["labels"],
        "quota.scheduling.koordinator.sh/profile": "gpu",
    }
    webhook.fill(root, profiles=(gpu,))
    answer = await webhook.ask("/validate/profile", review(in_mode(gpu, "Observe"), gpu))
    assert answer["allowed"], answer
    assert answer.get("warnings", []) == said

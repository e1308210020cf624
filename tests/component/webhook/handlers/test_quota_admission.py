"""Reviews of quotas: what passes, what is refused, and the messages."""

import copy
import json
from typing import Any

import pytest

from api_double import ApiDouble, refusals
from elasticquota import names
from elasticquota.structs import replace
from elasticquota_config.sections.rules import Rules
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.informer import watch_lines
from webhook_fixture import (
    CONFIGURATION,
    CONTROLLER,
    Document,
    WebhookReplica,
    parent,
    patch,
    pod,
    profile,
    quota,
    review,
    ruled,
)


DEPT = parent("dept-a", {"cpu": 100})
POOL = profile("pool", "pool")
POOL["metadata"]["labels"] = {names.TREE_ID: "7"}
TEAMS = (
    DEPT,
    quota("team-x", {"cpu": 48}, parent="dept-a"),
    quota("team-y", {"cpu": 40}, parent="dept-a"),
)


async def test_a_quota_that_fits_is_stored(webhook: WebhookReplica) -> None:
    webhook.fill(*TEAMS)
    team = quota("team-z", {"cpu": 12}, namespace="team-z", parent="dept-a")
    assert await webhook.validate(team) == {
        "uid": "11111111-2222-3333-4444-555555555555",
        "allowed": True,
    }


async def test_a_refusal_names_object_field_numbers_remedy_and_rule(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(*TEAMS)
    response = await webhook.validate(quota("team-z", {"cpu": 30}, parent="dept-a"))
    sentence = (
        "30 must be less than or equal to 12, the unreserved min of parent 'dept-a' (min 100, "
        "children reserve 88: team-x 48, team-y 40). Lower it, or raise the min of 'dept-a'. "
        "[EQ1104]"
    )
    assert response["status"] == {
        "code": 422,
        "reason": "Invalid",
        "message": f"ElasticQuota teams/team-z: spec.min.cpu: {sentence}",
        "details": {
            "name": "team-z",
            "group": "scheduling.sigs.k8s.io",
            "kind": "ElasticQuota",
            "causes": [
                {"reason": "FieldValueInvalid", "field": "spec.min.cpu", "message": sentence}
            ],
        },
    }


async def test_the_label_follows_the_field_and_the_field_a_label_that_is_edited_alone(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(parent("a"), parent("b"))
    team = quota("team", {"cpu": 1})
    team["spec"]["parent"] = "a"
    made, _ = await webhook.mutate("/mutate/elasticquota", team)
    assert made["metadata"]["labels"][names.PARENT] == "a"
    moved = copy.deepcopy(made)
    moved["spec"]["parent"] = "b"
    moved, _ = await webhook.mutate("/mutate/elasticquota", moved, old=made)
    assert moved["metadata"]["labels"][names.PARENT] == "b"
    back = copy.deepcopy(moved)
    back["metadata"]["labels"][names.PARENT] = "a"
    back, _ = await webhook.mutate("/mutate/elasticquota", back, old=moved)
    assert back["spec"]["parent"] == "a"


async def test_what_a_field_says_is_judged_and_its_label_follows(webhook: WebhookReplica) -> None:
    webhook.fill(parent("a"), quota("b", parent="a"))
    leaf = quota("a")
    leaf["spec"] |= {"isParent": False, "lends": False}
    made, _ = await webhook.mutate("/mutate/elasticquota", leaf, old=parent("a"))
    labels = made["metadata"]["labels"]
    assert [labels[key] for key in (names.IS_PARENT, names.ALLOW_LENT)] == ["false", "false"]
    assert await webhook.refusal(made, parent("a")) == (
        "ElasticQuota teams/a: spec.isParent: must stay 'true' while the quota has children: b. "
        "Move or delete them first. [EQ1106]"
    )


async def test_an_annotation_follows_its_field_and_moves_it_when_it_is_edited_alone(
    webhook: WebhookReplica,
) -> None:
    webhook.fill()
    team = quota("team", {"cpu": 1})
    team["spec"] |= {"weight": {"cpu": "3"}, "namespaces": ["a", "b"], "max": {"cpu": 4}}
    made, _ = await webhook.mutate("/mutate/elasticquota", team)
    annotations = made["metadata"]["annotations"]
    assert annotations[names.SHARED_WEIGHT] == '{"cpu":"3"}'
    assert annotations[names.NAMESPACES] == '["a","b"]'
    moved = copy.deepcopy(made)
    moved["metadata"]["annotations"] |= {names.SHARED_WEIGHT: '{"cpu": 4}', names.NAMESPACES: "[]"}
    moved, _ = await webhook.mutate("/mutate/elasticquota", moved, old=made)
    assert (moved["spec"]["weight"], moved["spec"]["namespaces"]) == ({"cpu": "4"}, [])
    broken = copy.deepcopy(made)
    broken["metadata"]["annotations"][names.SHARED_WEIGHT] = '{"cpu": 4'
    broken, _ = await webhook.mutate("/mutate/elasticquota", broken, old=made)
    assert await webhook.refusal(broken, made) == (
        """ElasticQuota teams/team: spec.weight: '{"cpu":"3"}' and '{"cpu": 4' of """
        "metadata.annotations[quota.scheduling.koordinator.sh/shared-weight] must be the same. "
        "Leave the annotation out, or change only one of them, and the other follows. [EQ1114]"
    )


async def test_a_quota_may_be_below_a_root_that_only_a_stored_profile_names_yet(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(profiles=(POOL,))
    team, _ = await webhook.mutate(
        "/mutate/elasticquota", quota("a", {"cpu": 8}, namespace="a", parent="pool")
    )
    assert team["metadata"]["labels"][names.TREE_ID] == "7"
    assert await webhook.validate(team) == {
        "uid": "11111111-2222-3333-4444-555555555555",
        "allowed": True,
    }
    dept = parent("dept", {"cpu": 8}, parent="pool")
    assert (await webhook.validate(dept))["allowed"]
    assert (await webhook.validate(quota("b", {"cpu": 8}, parent="dept")))["allowed"]
    assert "less than or equal to 0" in await webhook.refusal(quota("c", {"cpu": 1}, parent="dept"))


async def test_below_a_root_to_come_the_other_rules_hold(webhook: WebhookReplica) -> None:
    webhook.fill(profiles=(POOL,))
    assert "[EQ1107]" in await webhook.refusal(quota("a", parent="pool", tree="8"))
    assert "'pool' is taken by the quota in namespace 'pools'" in await webhook.refusal(
        quota("pool")
    )


async def test_where_use_is_guaranteed_no_min_is_compared_with_a_root_to_come(
    webhook: WebhookReplica,
) -> None:
    firm = profile("pool", "pool")
    firm["spec"]["guaranteeUsage"] = True
    webhook.fill(profiles=(firm,))
    assert (await webhook.validate(quota("a", {"cpu": 8}, parent="pool")))["allowed"]


async def test_a_parent_that_no_profile_names_any_more_is_unknown(webhook: WebhookReplica) -> None:
    webhook.fill(profiles=(POOL,))
    assert (await webhook.validate(quota("a", parent="pool"), dry_run=True))["allowed"]
    webhook.caches.profiles.delete(watch_lines.ObjectKey("pools", "pool", "pool"))
    assert await waits_for("pool", webhook)


async def test_a_root_quota_that_is_stored_counts_as_it_is(webhook: WebhookReplica) -> None:
    webhook.fill(profiles=(POOL,))
    root = parent("pool", {"cpu": 4}, is_root="true", tree="7")
    root["metadata"]["namespace"] = "pools"
    root["spec"]["access"] = {"children": ["others"]}
    assert (await webhook.validate(quota("a", parent="pool"), dry_run=True))["allowed"]
    webhook.see(root)
    webhook.double.permits = lambda _: False
    assert "[EQ1113]" in await webhook.refusal(quota("a", parent="pool"))


async def test_quotas_of_one_batch_are_judged_one_after_the_other(webhook: WebhookReplica) -> None:
    webhook.fill()
    assert (await webhook.validate(parent("dept", {"cpu": 10})))["allowed"]
    assert (await webhook.validate(quota("a", {"cpu": 6}, parent="dept")))["allowed"]
    assert "must be less than or equal to 4" in await webhook.refusal(
        quota("b", {"cpu": 6}, parent="dept")
    )


async def test_a_dry_run_leaves_no_trace(webhook: WebhookReplica) -> None:
    webhook.fill()
    assert (await webhook.validate(parent("dept"), dry_run=True))["allowed"]
    assert await waits_for("dept", webhook)


async def test_a_deletion_frees_the_parent_at_once(webhook: WebhookReplica) -> None:
    webhook.fill(DEPT, quota("a", parent="dept-a"))
    assert "while it has children: a" in await webhook.refusal(None, DEPT)
    assert (await webhook.validate(None, quota("a", parent="dept-a")))["allowed"]
    assert (await webhook.validate(None, DEPT))["allowed"]


async def test_a_note_that_is_never_confirmed_expires_after_ten_seconds(
    webhook: WebhookReplica,
) -> None:
    webhook.fill()
    await webhook.validate(parent("dept"))
    webhook.now = 9.9
    assert not await waits_for("dept", webhook)
    webhook.now = 10.0
    assert await waits_for("dept", webhook)


async def test_the_stored_object_replaces_the_note(webhook: WebhookReplica) -> None:
    webhook.fill(DEPT)
    more = parent("dept-a", {"cpu": 200})
    assert (await webhook.validate(more, DEPT))["allowed"]
    child = quota("a", {"cpu": 150}, parent="dept-a")
    assert (await webhook.validate(child, dry_run=True))["allowed"]
    webhook.see(DEPT)  # a late event with the state before
    assert (await webhook.validate(child, dry_run=True))["allowed"]
    less = parent("dept-a", {"cpu": 50})
    less["metadata"]["resourceVersion"] = "3"  # another client was faster
    webhook.see(less)
    assert "must be less than or equal to 50" in await webhook.refusal(child)


async def test_only_the_controller_may_write_root_quotas(webhook: WebhookReplica) -> None:
    webhook.fill(quota("gpu", namespace="one"))
    root = parent("gpu", {"cpu": 5}, is_root="true", tree="blue")
    assert (await webhook.validate(root, user=CONTROLLER))["allowed"]
    assert not (await webhook.validate(root))["allowed"]


async def test_soft_rules_warn(webhook: WebhookReplica) -> None:
    limited = parent("dept")
    limited["spec"]["max"] = {"cpu": "40"}
    webhook.fill(limited)
    response = await webhook.validate(quota("a", max={"cpu": "60"}, parent="dept"))
    assert response["allowed"]
    assert response["warnings"] == [
        "spec.namespaces: is not given, and 'a' "
        "is not the name of its namespace, so the quota limits only pods with the label "
        "quota.scheduling.koordinator.sh/name: a. To limit all pods of a namespace, list it. "
        "[EQ1004]",
        "spec.max.cpu: 60 is above 40, the max of parent 'dept', which limits it. "
        "Lower it, or raise the max of 'dept'. [EQ1105]",
    ]


async def test_a_strict_max_is_compared_with_the_stored_status(webhook: WebhookReplica) -> None:
    strict = {names.STRICT_KEYS: '["cpu"]'}
    stored = quota("a", max={"cpu": "8"}, annotations=strict) | {"status": {"used": {"cpu": "6"}}}
    webhook.fill(stored)
    lowered = quota("a", max={"cpu": "4"}, annotations=strict)
    response = await webhook.validate(lowered, stored)
    assert response["status"]["code"] == 409
    assert response["status"]["message"].startswith(
        "ElasticQuota teams/a: spec.max.cpu: 4 must be greater than or equal to what is used, "
        "which is 6 now. "
    )
    assert (await webhook.validate(quota("a", max={"cpu": "6"}, annotations=strict), stored))[
        "allowed"
    ]


@pytest.mark.parametrize("status", [None, "garbage", {"used": 7}, {"used": {"cpu": "x"}}])
async def test_unreadable_status_values_count_as_zero(
    webhook: WebhookReplica, status: object
) -> None:
    stored = quota("a", max={"cpu": "8"}) | {"status": status}
    webhook.fill(stored)
    response = await webhook.validate(quota("a", max={"cpu": "4"}), stored)
    assert (response["allowed"], response.get("warnings")) == (True, None)


async def test_where_use_is_guaranteed_a_min_is_judged_with_the_used_of_the_statuses(
    webhook: WebhookReplica,
) -> None:
    pool = parent("pool", {"cpu": "10"}, is_root="true", tree="7")
    pool["spec"]["tree"] = {"guaranteeUsage": True}
    runs = {"used": {"cpu": "8"}, "runtime": {"cpu": "8"}}
    webhook.fill(
        pool | {"status": runs},
        quota("a", {"cpu": "2"}, parent="pool"),
        quota("b", {"cpu": "2"}, parent="pool") | {"status": runs},
    )
    raised = quota("a", {"cpu": "3"}, parent="pool")
    stored = quota("a", {"cpu": "2"}, parent="pool")
    assert "3 would raise what tree 'pool' guarantees to 11" in await webhook.refusal(
        raised, stored
    )
    assert (await webhook.validate(quota("a", {"cpu": "1"}, parent="pool"), stored))["allowed"]


async def test_where_sums_only_warn_all_permitted_quotas_count_in_the_next_sum(api: Api) -> None:
    """The replica judges stored quotas as the controller does."""
    lenient = replace(CONFIGURATION, rules=Rules(profile="ack"))
    async with WebhookReplica(api, lenient) as webhook:
        webhook.fill(parent("dept", {"cpu": 10}))
        for name in ("a", "b"):
            assert (await webhook.validate(quota(name, {"cpu": 8}, parent="dept")))["allowed"]
        response = await webhook.validate(quota("c", {"cpu": 1}, parent="dept"))
    assert response["allowed"]
    assert response["warnings"] == [
        "spec.min.cpu: 1 must be less than or equal to 0, the unreserved min of parent 'dept' "
        "(min 10, children reserve 16: a 8, b 8). Lower it, or raise the min of 'dept'. [EQ1104]"
    ]


async def test_a_new_quota_gets_its_parent_and_its_tree(webhook: WebhookReplica) -> None:
    webhook.fill(parent("pool", is_root="true", tree="blue"))
    path = "/mutate/elasticquota"
    patched, _ = await webhook.mutate(path, quota("a", parent="pool"))
    assert patched["metadata"]["labels"] == {names.PARENT: "pool", names.TREE_ID: "blue"}
    bare = quota("b")
    del bare["metadata"]["labels"]
    patched, _ = await webhook.mutate(path, bare)
    assert patched["metadata"]["labels"] == {names.PARENT: names.ROOT_QUOTA}


@pytest.mark.parametrize(
    ("new", "old"),
    [
        pytest.param(quota("a"), quota("a"), id="of nothing"),
        pytest.param(quota("a", tree="blue"), quota("a", tree="blue"), id="with the tree"),
        pytest.param(quota("a", tree="red"), quota("a", tree="blue"), id="of the tree"),
        pytest.param(quota("a", tree="blue"), quota("a"), id="that fills in the tree"),
        pytest.param(
            quota(names.DEFAULT_QUOTA),
            quota(names.DEFAULT_QUOTA, tree="blue"),
            id="that mends a reserved quota",
        ),
    ],
)
async def test_an_edit_is_not_changed(
    webhook: WebhookReplica, new: Document, old: Document
) -> None:
    webhook.fill()
    response = await webhook.ask("/mutate/elasticquota", review(new, old))
    assert response == {"uid": "11111111-2222-3333-4444-555555555555", "allowed": True}


@pytest.mark.parametrize("left_out", [quota("a"), quota("a", tree="")], ids=["out", "empty"])
async def test_an_edit_that_leaves_out_the_tree_keeps_it(
    webhook: WebhookReplica, left_out: Document
) -> None:
    webhook.fill()
    old = quota("a", tree="blue")
    left_out = left_out | {"spec": {"max": {"cpu": "7"}}}
    asked = review(left_out, old)
    kept = patch(left_out, await webhook.ask("/mutate/elasticquota", asked))
    assert kept == left_out | {"metadata": old["metadata"]}
    assert "patch" not in await webhook.ask("/mutate/elasticquota", review(kept, old))


async def test_errors_of_the_schema_are_left_to_the_schema(webhook: WebhookReplica) -> None:
    webhook.fill()
    odd = quota("a") | {"spec": "nonsense"}
    response = await webhook.ask("/mutate/elasticquota", review(odd))
    assert response["allowed"]


async def test_status_writes_are_not_judged(webhook: WebhookReplica) -> None:
    for path in ("/mutate/elasticquota", "/validate/elasticquota"):
        response = await webhook.ask(path, review(quota("a"), quota("a"), subResource="status"))
        assert response["allowed"]


@pytest.mark.parametrize("path", ["/mutate/elasticquota", "/validate/elasticquota"])
async def test_until_the_caches_are_filled_nothing_is_judged(
    webhook: WebhookReplica, path: str
) -> None:
    response = await webhook.ask(path, review(quota("a")))
    assert response["status"] == {
        "code": 503,
        "reason": "ServiceUnavailable",
        "message": (
            "not ready to judge this: the quotas are still being read. Try again in a moment."
        ),
        "details": {"name": "a", "group": "scheduling.sigs.k8s.io", "retryAfterSeconds": 1},
    }


class TestRemoval:
    """A quota with live pods, as the API server reports them, cannot be deleted."""

    async def test_a_quota_with_live_pods_cannot_be_deleted(self, webhook: WebhookReplica) -> None:
        webhook.fill(quota("a"))
        for number in range(7):
            webhook.double.put(paths.PODS, pod("a", name=f"p{number}"))
        status = (await webhook.validate(None, quota("a")))["status"]
        assert (status["code"], status["reason"]) == (409, "Conflict")
        assert status["message"] == (
            "ElasticQuota teams/a: must not be deleted while it has live pods: team/p0, team/p1, "
            "team/p2, team/p3, team/p4 and 2 more. Delete them first, or let them end. [EQ1111]"
        )

    async def test_finished_pods_and_pods_of_others_do_not_block_a_deletion(
        self, webhook: WebhookReplica
    ) -> None:
        webhook.fill(quota("a"), quota("b"))
        webhook.double.put(paths.PODS, pod("b", name="other"))
        for phase in ("Succeeded", "Failed"):
            webhook.double.put(
                paths.PODS, pod("a", name=phase.lower()) | {"status": {"phase": phase}}
            )
        assert (await webhook.validate(None, quota("a")))["allowed"]

    async def test_labeled_system_pods_do_not_block_a_deletion(
        self, webhook: WebhookReplica
    ) -> None:
        webhook.fill(quota("a"))
        webhook.double.put(paths.PODS, pod("a", namespace="kube-system"))
        assert (await webhook.validate(None, quota("a")))["allowed"]

    @pytest.mark.parametrize(
        "bound",
        [
            pytest.param(quota("team", namespace="team"), id="named like its namespace"),
            pytest.param(
                quota("a", annotations={names.NAMESPACES: '["team"]'}), id="bound by annotation"
            ),
        ],
    )
    async def test_pods_of_a_bound_namespace_block_a_deletion(
        self, webhook: WebhookReplica, bound: dict[str, Any]
    ) -> None:
        webhook.fill(bound, quota("other"))
        webhook.double.put(paths.PODS, pod(name="plain"))
        webhook.double.put(paths.PODS, pod("misspelt", name="misspelt"))
        webhook.double.put(paths.PODS, pod("other", name="elsewhere"))
        assert "live pods: team/misspelt, team/plain." in await webhook.refusal(None, bound)

    async def test_a_leaf_with_pods_does_not_become_a_parent(self, webhook: WebhookReplica) -> None:
        webhook.fill(quota("a"))
        webhook.double.put(paths.PODS, pod("a"))
        assert "while the quota has live pods: team/p" in await webhook.refusal(
            parent("a"), quota("a")
        )

    async def test_a_deleted_namespace_deletes_its_quotas(self, webhook: WebhookReplica) -> None:
        held = quota("team", namespace="team")
        webhook.fill(held)
        webhook.double.put(paths.PODS, pod("team"))
        webhook.see_namespace("team", leaving=False)
        assert not (await webhook.validate(None, held, dry_run=True))["allowed"]
        webhook.see_namespace("team", leaving=True)
        assert (await webhook.validate(None, held))["allowed"]

    async def test_without_the_api_server_a_deletion_must_wait(
        self, webhook: WebhookReplica
    ) -> None:
        webhook.fill(quota("a"))
        webhook.double.faults.answer(refusals.throttled(60), times=9, path="/pods")
        response = await webhook.validate(None, quota("a"))
        assert response["status"]["code"] == 503
        assert response["status"]["message"].startswith(
            "not ready to judge this: the pods of the quota cannot be read (429 "
        )


GARBAGE: dict[str, tuple[dict[str, Any], str]] = {
    "a label that is a number": ({"labels": {"x": 5}}, "Expected `str`, got `int`"),
    "labels that are a list": ({"labels": []}, "Expected `object | null`, got `array`"),
    "a name that is an object": ({"name": {}}, "Expected `str`, got `object`"),
}


@pytest.mark.parametrize(("meta", "words"), GARBAGE.values(), ids=GARBAGE)
async def test_a_malformed_object_gets_400_and_the_place(
    webhook: WebhookReplica, meta: dict[str, Any], words: str
) -> None:
    webhook.fill()
    question = review(quota("a"))
    question["request"]["object"]["metadata"] |= meta
    for path in ("/mutate/elasticquota", "/validate/elasticquota"):
        response = await webhook.ask(path, json.loads(json.dumps(question)))
        assert response["status"]["code"] == 400
        assert response["status"]["message"].startswith(f"the quota cannot be read: {words}")
        assert "$.metadata" in response["status"]["message"]


async def test_a_review_without_objects_gets_400(webhook: WebhookReplica) -> None:
    webhook.fill()
    response = await webhook.validate(None, None)
    assert response["status"]["message"] == "the review has neither an object nor an oldObject"


def closed() -> Document:
    made = parent("dept")
    made["spec"]["access"] = {"children": []}
    return made


async def test_a_quota_that_a_permission_puts_where_the_list_leaves_it_out_is_marked(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(closed())
    other = quota("a", parent="dept", namespace="other")
    made, _ = await webhook.mutate("/mutate/elasticquota", other)
    assert made["metadata"]["annotations"] == {names.PLACED_BELOW: "dept"}
    spec = next(call.body["spec"] for call in webhook.double.calls)
    assert spec == {
        "user": "somebody",
        "groups": ["system:authenticated"],
        "resourceAttributes": {
            "group": names.QUOTA_GROUP,
            "resource": names.QUOTA_PLURAL,
            "name": "dept",
            "verb": names.ADD_CHILD,
        },
    }
    assert (await webhook.validate(made))["allowed"]
    replaced, _ = await webhook.mutate("/mutate/elasticquota", other, old=made)
    assert replaced["metadata"]["annotations"] == {names.PLACED_BELOW: "dept"}


async def test_without_the_permission_there_is_no_mark_and_no_quota(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(closed())
    webhook.double.permits = lambda _: False
    other = quota("a", parent="dept", namespace="other")
    made, _ = await webhook.mutate("/mutate/elasticquota", other)
    assert names.PLACED_BELOW not in made["metadata"]["annotations"]
    assert "you may not create quotas below 'dept'" in await webhook.refusal(made)
    made["metadata"]["annotations"] = {names.PLACED_BELOW: "dept"}
    assert "[EQ1113]" in await webhook.refusal(made)


def owned(size: int) -> Document:
    """A quota whose owner is of a kind with so long a name, which the API does not limit."""
    made = quota("fat", namespace="fat")
    owner = {"apiVersion": "v1", "kind": "K" * size, "name": "y", "uid": "6"}
    made["metadata"]["ownerReferences"] = [owner]
    return made


async def test_a_quota_leaves_room_for_its_status_in_the_store(webhook: WebhookReplica) -> None:
    webhook.fill()
    fat, usual = owned(1_100_000), owned(10)
    for old in (None, usual):
        said = await webhook.refusal(fat, old)
        assert said == (
            "ElasticQuota fat/fat: has 1075 KiB of JSON and may have 1024, so that its status fits "
            "beside it into the store (1.5 MiB). Shorten its texts, such as owner references, or "
            "take labels off. [EQ1115]"
        )
    assert (await webhook.validate(owned(900_000)))["allowed"]


async def test_a_quota_that_was_stored_too_large_may_get_smaller_and_go(
    webhook: WebhookReplica,
) -> None:
    fat, smaller = owned(1_200_000), owned(1_100_000)
    webhook.fill()
    assert (await webhook.validate(smaller, fat))["allowed"]
    assert (await webhook.validate(None, fat))["allowed"]
    assert (await webhook.validate(fat, smaller, user=CONTROLLER))["allowed"]


async def test_a_grant_that_is_seen_between_the_two_calls_stores_no_quota_without_its_mark(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(closed())
    other = quota("a", parent="dept", namespace="other")
    webhook.double.permits = lambda _: False
    made, _ = await webhook.mutate("/mutate/elasticquota", other)
    webhook.double.permits = lambda _: True
    response = await webhook.validate(made)
    assert response["status"]["code"] == 409
    assert response["status"]["message"] == (
        f"ElasticQuota other/a: metadata.annotations[{names.PLACED_BELOW}]: must be 'dept', or the "
        "quota does not count there; you may place it there, which was not known yet when "
        "annotations were filled in. Try again, or set it to 'dept'. [EQ1113]"
    )
    again, _ = await webhook.mutate("/mutate/elasticquota", other)
    assert (await webhook.validate(again))["allowed"]


async def test_a_quota_that_waits_for_its_parent_takes_the_permission_on_all_parents(
    webhook: WebhookReplica,
) -> None:
    early = quota("a", parent="later", namespace="other")
    webhook.fill()
    made, _ = await webhook.mutate("/mutate/elasticquota", early)
    bodies = [call.body for call in webhook.double.calls if call.method == "POST"]
    assert [each["spec"]["resourceAttributes"]["name"] for each in bodies] == [""]
    answer = await webhook.validate(made, dry_run=True)
    assert answer["allowed"]
    assert answer["warnings"][0].endswith(
        "there is no quota 'later'. Create it, or correct the name. [EQ1101]"
    )
    webhook.double.permits = lambda spec: spec["resourceAttributes"]["name"] == "later"
    assert await webhook.refusal(early) == (
        f"ElasticQuota other/a: metadata.labels[{names.PARENT}]: there is no quota 'later', and "
        "you may not create quotas that wait for their place. Create it first, correct the name, "
        "or ask for the verb 'add-child' on all elasticquotas in a ClusterRole. [EQ1113]"
    )


async def test_where_a_missing_parent_is_refused_the_permission_is_not_enough(
    api: Api, double: ApiDouble
) -> None:
    async with WebhookReplica(api, ruled({"EQ1101-missing": "deny"})) as webhook:
        webhook.fill()
        assert await webhook.refusal(quota("a", parent="later")) == (
            f"ElasticQuota teams/a: metadata.labels[{names.PARENT}]: there is no quota 'later'. "
            "Create it, or correct the name. [EQ1101]"
        )


async def test_a_quota_that_waits_is_marked_so_that_a_list_that_comes_does_not_leave_it_out(
    webhook: WebhookReplica,
) -> None:
    webhook.fill()
    early = quota("a", parent="dept", namespace="other")
    made, _ = await webhook.mutate("/mutate/elasticquota", early)
    assert made["metadata"]["annotations"] == {names.PLACED_BELOW: "dept"}
    webhook.double.permits = lambda spec: spec["resourceAttributes"]["name"] == "dept"
    made, _ = await webhook.mutate("/mutate/elasticquota", early)
    assert names.PLACED_BELOW not in made["metadata"]["annotations"]
    edited, _ = await webhook.mutate("/mutate/elasticquota", early, old=early)
    assert names.PLACED_BELOW not in edited["metadata"]["annotations"]


async def waits_for(name: str, webhook: WebhookReplica) -> bool:
    """Whether a child of ``name`` would be stored with a warning that its parent is missing."""
    answer = await webhook.validate(quota("a", parent=name), dry_run=True)
    assert answer["allowed"]
    return any(f"there is no quota '{name}'" in each for each in answer.get("warnings", ()))


async def test_while_permissions_cannot_be_read_the_user_is_asked_to_try_again(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(closed())
    webhook.double.faults.answer(refusals.throttled(60), times=9, path="/subjectaccessreviews")
    response = await webhook.validate(quota("a", parent="dept", namespace="other"))
    assert response["status"]["code"] == 503
    assert "your permissions cannot be read" in response["status"]["message"]

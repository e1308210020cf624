"""What the product expects of an API server, stated once and run on the double and the real one.

Each clause takes an open `Api` and an empty namespace that exists, and asserts. Component tests may
rely on whatever is asserted here; what a test relies on belongs here.
"""

import secrets
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final

import msgspec
import pytest

from elasticquota_kube import eviction
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError, Document
from elasticquota_kube.eviction import EvictionAnswer
from elasticquota_kube.informer import watch_lines


Clause = Callable[[Api, str], Awaitable[None]]
CLAUSES: Final[list[Clause]] = []
GATE: Final = "contract.example/gate"
"""A gate without an owner: ours is guarded where the product is installed."""


def clause(check: Clause) -> Clause:
    CLAUSES.append(check)
    return check


def config_map(name: str, labels: dict[str, str] | None = None, **data: str) -> Document:
    meta: Document = {"name": name, "labels": labels or {}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}


def gated_pod(name: str) -> Document:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "schedulingGates": [{"name": GATE}],
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "main", "image": "none.invalid/none"}],
        },
    }


def event(namespace: str, note: str) -> Document:
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "a.1", "namespace": namespace},
        "eventTime": "2026-01-02T03:04:05.000006Z",
        "reportingController": "contract.example/tests",
        "reportingInstance": "tests",
        "type": "Normal",
        "reason": "Tried",
        "action": "Try",
        "note": note,
        "regarding": {"apiVersion": "v1", "kind": "Pod", "namespace": namespace, "name": "a"},
    }


async def refusal(call: Awaitable[Any]) -> ApiError:
    with pytest.raises(ApiError) as caught:
        await call
    return caught.value


@clause
async def a_created_object_gets_uid_version_and_time(api: Api, namespace: str) -> None:
    made = await api.create(paths.CONFIG_MAPS, namespace, config_map("a"))
    assert {"uid", "resourceVersion", "creationTimestamp"} <= made["metadata"].keys()
    assert made["metadata"]["namespace"] == namespace
    assert await api.get(paths.CONFIG_MAPS, namespace, "a") == made


@clause
async def a_name_is_taken_once(api: Api, namespace: str) -> None:
    await api.create(paths.CONFIG_MAPS, namespace, config_map("a"))
    error = await refusal(api.create(paths.CONFIG_MAPS, namespace, config_map("a")))
    assert (error.status, error.reason) == (409, "AlreadyExists")
    assert str(error) == '409 AlreadyExists: configmaps "a" already exists'


@clause
async def what_is_not_there_is_not_found(api: Api, namespace: str) -> None:
    error = await refusal(api.get(paths.CONFIG_MAPS, namespace, "none"))
    assert str(error) == '404 NotFound: configmaps "none" not found'
    nowhere = await refusal(api.create(paths.CONFIG_MAPS, "no-namespace", config_map("a")))
    assert str(nowhere) == '404 NotFound: namespaces "no-namespace" not found'
    unknown = await refusal(api.list(paths.Resource("none.dev", "v1", "nones")))
    assert unknown.status == 404


@clause
async def a_stale_replacement_is_a_conflict(api: Api, namespace: str) -> None:
    first = await api.create(paths.CONFIG_MAPS, namespace, config_map("a", key="1"))
    second = await api.replace(paths.CONFIG_MAPS, namespace, {**first, "data": {"key": "2"}})
    assert second["metadata"]["resourceVersion"] != first["metadata"]["resourceVersion"]
    error = await refusal(
        api.replace(paths.CONFIG_MAPS, namespace, {**first, "data": {"key": "3"}})
    )
    assert (error.status, error.reason) == (409, "Conflict")
    assert "the object has been modified" in error.message


@clause
async def a_write_that_changes_nothing_keeps_the_version(api: Api, namespace: str) -> None:
    made = await api.create(paths.CONFIG_MAPS, namespace, config_map("a", key="1"))
    again = await api.patch(paths.CONFIG_MAPS, namespace, "a", {"data": {"key": "1"}})
    assert again["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


@clause
async def a_merge_patch_sets_and_removes(api: Api, namespace: str) -> None:
    await api.create(paths.CONFIG_MAPS, namespace, config_map("a", keep="1", drop="2"))
    patch = {"metadata": {"annotations": {"x/y": "z"}}, "data": {"drop": None, "new": "3"}}
    after = await api.patch(paths.CONFIG_MAPS, namespace, "a", patch)
    assert after["data"] == {"keep": "1", "new": "3"}
    assert after["metadata"]["annotations"] == {"x/y": "z"}


@clause
async def a_merge_patch_with_a_stale_version_is_a_conflict(api: Api, namespace: str) -> None:
    made = await api.create(paths.CONFIG_MAPS, namespace, config_map("a"))
    await api.patch(paths.CONFIG_MAPS, namespace, "a", {"data": {"key": "1"}})
    stale = {
        "metadata": {"resourceVersion": made["metadata"]["resourceVersion"]},
        "data": {"key": "2"},
    }
    error = await refusal(api.patch(paths.CONFIG_MAPS, namespace, "a", stale))
    assert error.is_conflict


@clause
async def a_json_patch_whose_test_fails_changes_nothing(api: Api, namespace: str) -> None:
    made = await api.create(paths.CONFIG_MAPS, namespace, config_map("a", key="1"))
    patch = [
        {"op": "test", "path": "/data/key", "value": "other"},
        {"op": "replace", "path": "/data/key", "value": "2"},
    ]
    error = await refusal(api.patch(paths.CONFIG_MAPS, namespace, "a", patch, kind="json"))
    assert (error.status, error.reason) == (422, "Invalid")
    assert await api.get(paths.CONFIG_MAPS, namespace, "a") == made


@clause
async def to_the_test_of_a_json_patch_what_is_missing_is_null(api: Api, namespace: str) -> None:
    await api.create(paths.CONFIG_MAPS, namespace, config_map("a", key="1"))
    patch: list[dict[str, Any]] = [
        {"op": "test", "path": "/binaryData", "value": None},
        {"op": "replace", "path": "/data/key", "value": "2"},
    ]
    after = await api.patch(paths.CONFIG_MAPS, namespace, "a", patch, kind="json")
    assert after["data"] == {"key": "2"}
    present = [{"op": "test", "path": "/data", "value": None}]
    error = await refusal(api.patch(paths.CONFIG_MAPS, namespace, "a", present, kind="json"))
    assert (error.status, error.reason) == (422, "Invalid")


@clause
async def a_gated_pod_says_so_and_is_released_by_a_tested_patch(api: Api, namespace: str) -> None:
    made = await api.create(paths.PODS, namespace, gated_pod("a"))
    assert made["status"]["phase"] == "Pending"
    condition = made["status"]["conditions"][0]
    assert (condition["type"], condition["status"]) == ("PodScheduled", "False")
    assert condition["reason"] == "SchedulingGated"
    patch = [
        {"op": "test", "path": "/spec/schedulingGates/0/name", "value": GATE},
        {"op": "remove", "path": "/spec/schedulingGates/0"},
    ]
    after = await api.patch(paths.PODS, namespace, "a", patch, kind="json")
    assert not after["spec"].get("schedulingGates")
    again = await refusal(api.patch(paths.PODS, namespace, "a", patch, kind="json"))
    assert again.status == 422


@clause
async def status_and_the_rest_are_written_apart(api: Api, namespace: str) -> None:
    await api.create(paths.PODS, namespace, gated_pod("a"))
    await api.patch(paths.PODS, namespace, "a", {"status": {"message": "of the main resource"}})
    written = {"metadata": {"labels": {"x": "y"}}, "status": {"message": "of the subresource"}}
    after = await api.patch(paths.PODS, namespace, "a", written, subresource="status")
    assert after["status"]["message"] == "of the subresource"
    assert after["status"]["phase"] == "Pending"
    assert after["spec"]["schedulingGates"] == [{"name": GATE}]


@clause
async def a_list_is_read_in_pages_of_one_version(api: Api, namespace: str) -> None:
    for number in range(5):
        await api.create(paths.CONFIG_MAPS, namespace, config_map(f"a-{number}", {"page": "yes"}))
    path = paths.CONFIG_MAPS.list(namespace)
    names: list[str] = []
    versions = set()
    token = ""
    while True:
        query = {
            "limit": "2",
            "labelSelector": "page=yes",
            **({"continue": token} if token else {}),
        }
        page = msgspec.json.decode(await api._read("list", paths.CONFIG_MAPS, path, query))
        names += [item["metadata"]["name"] for item in page["items"]]
        versions.add(page["metadata"]["resourceVersion"])
        await api.patch(paths.CONFIG_MAPS, namespace, "a-4", {"data": {"key": str(len(names))}})
        token = page["metadata"].get("continue", "")
        if not token:
            break
    assert names == [f"a-{number}" for number in range(5)]
    assert len(versions) == 1


@clause
async def a_page_may_be_asked_for_again_with_another_limit(api: Api, namespace: str) -> None:
    for number in range(4):
        await api.create(paths.CONFIG_MAPS, namespace, config_map(f"a-{number}", {"page": "yes"}))
    path = paths.CONFIG_MAPS.list(namespace)
    query = {"limit": "1", "labelSelector": "page=yes"}
    page = msgspec.json.decode(await api._read("list", paths.CONFIG_MAPS, path, query))
    token = page["metadata"]["continue"]
    for limit, names in (("3", ["a-1", "a-2", "a-3"]), ("2", ["a-1", "a-2"])):
        again = {**query, "limit": limit, "continue": token}
        page = msgspec.json.decode(await api._read("list", paths.CONFIG_MAPS, path, again))
        assert [item["metadata"]["name"] for item in page["items"]] == names


@clause
async def selectors_choose(api: Api, namespace: str) -> None:
    await api.create(paths.CONFIG_MAPS, namespace, config_map("a", {"team": "a", "x": "1"}))
    await api.create(paths.CONFIG_MAPS, namespace, config_map("b", {"team": "b"}))

    async def chosen(**params: str) -> list[str]:
        found = await api.list(paths.CONFIG_MAPS, namespace, params=params)
        return [each["metadata"]["name"] for each in found if each["metadata"].get("labels")]

    assert await chosen(labelSelector="team=a") == ["a"]
    assert await chosen(labelSelector="team!=a") == ["b"]
    assert await chosen(labelSelector="team in (a,b),!x") == ["b"]
    assert await chosen(labelSelector="team notin (b)") == ["a"]
    assert await chosen(labelSelector="x") == ["a"]
    assert await chosen(fieldSelector="metadata.name=b") == ["b"]
    error = await refusal(api.list(paths.PODS, namespace, params={"fieldSelector": "spec.no=1"}))
    assert error.status == 400
    assert "field label not supported" in error.message


async def watched(api: Api, namespace: str, last: str, **params: str) -> list[watch_lines.Event]:
    """Read a watch up to the first event of the object named `last`, or of that type."""
    chunks = api.watch(
        paths.CONFIG_MAPS, namespace, params={"timeoutSeconds": "10", **params}, quiet=20
    )
    events = []
    async with aclosing(chunks), aclosing(watch_lines.split(chunks)) as batches:
        async for lines in batches:
            for line in lines:
                event = watch_lines.parse(line)
                events.append(event)
                if last in (event.head.key.name, event.type):
                    return events
    raise AssertionError(f"the watch ended without {last}: {events}")


@clause
async def a_watch_goes_on_from_a_version(api: Api, namespace: str) -> None:
    made = await api.create(paths.CONFIG_MAPS, namespace, config_map("old", {"in": "yes"}))
    await api.patch(paths.CONFIG_MAPS, namespace, "old", {"data": {"key": "1"}})
    await api.delete(paths.CONFIG_MAPS, namespace, "old")
    await api.create(paths.CONFIG_MAPS, namespace, config_map("last", {"in": "yes"}))
    version = made["metadata"]["resourceVersion"]
    events = await watched(api, namespace, "last", resourceVersion=version, labelSelector="in")
    assert [(event.type, event.head.key.name) for event in events] == [
        ("MODIFIED", "old"),
        ("DELETED", "old"),
        ("ADDED", "last"),
    ]
    assert events[0].head.key.uid == made["metadata"]["uid"]


@clause
async def what_leaves_a_selector_is_deleted_to_the_watcher(api: Api, namespace: str) -> None:
    made = await api.create(paths.CONFIG_MAPS, namespace, config_map("a", {"in": "yes"}))
    await api.patch(paths.CONFIG_MAPS, namespace, "a", {"metadata": {"labels": {"in": "no"}}})
    await api.patch(paths.CONFIG_MAPS, namespace, "a", {"metadata": {"labels": {"in": "yes"}}})
    await api.create(paths.CONFIG_MAPS, namespace, config_map("last", {"in": "yes"}))
    version = made["metadata"]["resourceVersion"]
    events = await watched(api, namespace, "last", resourceVersion=version, labelSelector="in=yes")
    assert [event.type for event in events] == ["DELETED", "ADDED", "ADDED"]


@clause
async def a_watch_list_ends_its_initial_events_with_a_bookmark(api: Api, namespace: str) -> None:
    names = {"a", "b", "c"}
    for name in names:
        await api.create(paths.CONFIG_MAPS, namespace, config_map(name, {"in": "yes"}))
    events = await watched(
        api,
        namespace,
        "BOOKMARK",
        labelSelector="in",
        sendInitialEvents="true",
        resourceVersionMatch="NotOlderThan",
        allowWatchBookmarks="true",
    )
    assert {event.head.key.name for event in events[:-1]} == names
    assert {event.type for event in events[:-1]} == {"ADDED"}
    assert events[-1].ends_the_initial_events
    assert events[-1].head.metadata.resource_version


@clause
async def a_watch_list_has_to_say_not_older_than(api: Api, namespace: str) -> None:
    error = await refusal(watched(api, namespace, "BOOKMARK", sendInitialEvents="true"))
    assert error.status == 422


@clause
async def a_lease_is_taken_by_compare_and_swap(api: Api, namespace: str) -> None:
    lease = {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "a"},
        "spec": {"holderIdentity": "one", "leaseDurationSeconds": 15, "leaseTransitions": 0},
    }
    made = await api.create(paths.LEASES, namespace, lease)
    one = {**made, "spec": {**made["spec"], "holderIdentity": "two"}}
    await api.replace(paths.LEASES, namespace, one)
    assert (await refusal(api.replace(paths.LEASES, namespace, one))).is_conflict


@clause
async def a_deletion_may_insist_on_the_uid(api: Api, namespace: str) -> None:
    made = await api.create(paths.CONFIG_MAPS, namespace, config_map("a"))
    error = await refusal(api.delete(paths.CONFIG_MAPS, namespace, "a", uid="another"))
    assert error.is_conflict
    assert "the UID in the precondition (another) does not match" in error.message
    await api.delete(paths.CONFIG_MAPS, namespace, "a", uid=made["metadata"]["uid"])
    assert (await refusal(api.get(paths.CONFIG_MAPS, namespace, "a"))).is_not_found


@clause
async def a_deletion_says_whether_the_object_is_gone(api: Api, namespace: str) -> None:
    """The answer is a status when it is gone, else the object with its deletion timestamp."""
    await api.create(paths.CONFIG_MAPS, namespace, config_map("a"))
    assert (await api.delete(paths.CONFIG_MAPS, namespace, "a"))["kind"] == "Status"
    held = config_map("b")
    held["metadata"]["finalizers"] = ["contract.example/held"]
    await api.create(paths.CONFIG_MAPS, namespace, held)
    assert (await api.delete(paths.CONFIG_MAPS, namespace, "b"))["kind"] == "ConfigMap"
    await api.patch(paths.CONFIG_MAPS, namespace, "b", {"metadata": {"finalizers": None}})


@clause
async def a_finalizer_holds_a_deletion_up_and_tests_of_patches_see_it(
    api: Api, namespace: str
) -> None:
    stays = {"op": "test", "path": "/metadata/deletionTimestamp", "value": None}
    let_go = {"op": "remove", "path": "/metadata/finalizers"}
    for resource, held in ((paths.CONFIG_MAPS, config_map("a")), (paths.PODS, gated_pod("a"))):
        held["metadata"]["finalizers"] = ["elasticquota.dev/test"]
        await api.create(resource, namespace, held)
        await api.delete(resource, namespace, "a")
        going = await api.get(resource, namespace, "a")
        assert going["metadata"]["deletionTimestamp"]
        error = await refusal(api.patch(resource, namespace, "a", [stays, let_go], kind="json"))
        assert (error.status, error.reason) == (422, "Invalid")
        await api.patch(resource, namespace, "a", {"metadata": {"finalizers": None}})
        assert (await refusal(api.get(resource, namespace, "a"))).is_not_found


@clause
async def an_eviction_names_its_pod_by_uid(api: Api, namespace: str) -> None:
    made = await api.create(paths.PODS, namespace, gated_pod("a"))
    uid = made["metadata"]["uid"]
    other = await eviction.evict(api, namespace, "a", "another")
    assert other.answer is EvictionAnswer.REPLACED
    assert (await eviction.evict(api, namespace, "a", uid)).answer is EvictionAnswer.EVICTED
    assert (await eviction.evict(api, namespace, "a", uid)).answer is EvictionAnswer.GONE


async def running_pod(api: Api, namespace: str, name: str) -> str:
    """Make a pod that disruption budgets protect and that is never scheduled; return its uid."""
    pod = gated_pod(name)
    pod["metadata"]["labels"] = {"app": "guarded"}
    pod["spec"]["schedulerName"] = "nobody"
    del pod["spec"]["schedulingGates"]
    made = await api.create(paths.PODS, namespace, pod)
    ready = {"type": "Ready", "status": "True"}
    running = {"status": {"phase": "Running", "conditions": [ready]}}
    await api.patch(paths.PODS, namespace, name, running, subresource="status")
    return str(made["metadata"]["uid"])


async def budget(api: Api, namespace: str, name: str, *, allowed: int) -> None:
    made = await api.create(
        paths.DISRUPTION_BUDGETS,
        namespace,
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": name},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "guarded"}}},
        },
    )
    status = {
        "disruptionsAllowed": allowed,
        "currentHealthy": 1,
        "desiredHealthy": 1,
        "expectedPods": 1,
        "observedGeneration": made["metadata"]["generation"],
    }
    await api.patch(
        paths.DISRUPTION_BUDGETS, namespace, name, {"status": status}, subresource="status"
    )


@clause
async def a_budget_blocks_an_eviction_and_two_budgets_for_good(api: Api, namespace: str) -> None:
    uid = await running_pod(api, namespace, "a")
    await budget(api, namespace, "first", allowed=0)
    outcome = await eviction.evict(api, namespace, "a", uid)
    assert (outcome.answer, outcome.budget) == (EvictionAnswer.BLOCKED, "first")
    await budget(api, namespace, "second", allowed=0)
    outcome = await eviction.evict(api, namespace, "a", uid)
    assert (outcome.answer, outcome.budget) == (EvictionAnswer.AMBIGUOUS_BUDGETS, "first, second")
    assert "more than one PodDisruptionBudget" in outcome.message


def fresh_namespace() -> Document:
    """Return the manifest of a namespace that no other test uses."""
    name = f"contract-{secrets.token_hex(4)}"
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


@clause
async def the_note_of_an_event_changes_by_the_core_api_only(api: Api, namespace: str) -> None:
    made = event(namespace, "first")
    await api.create(paths.EVENTS, namespace, made)
    error = await refusal(api.patch(paths.EVENTS, namespace, "a.1", {"note": "second"}))
    assert error.is_invalid
    assert str(error) == (
        '422 Invalid: Event "a.1" is invalid: message: Invalid value: "second": field is immutable'
    )
    series = {"count": 2, "lastObservedTime": made["eventTime"]}
    change = {"message": "second", "series": series}
    stored = await api.patch(paths.CORE_EVENTS, namespace, "a.1", change)
    assert stored["series"]["count"] == 2
    found = await api.get(paths.EVENTS, namespace, "a.1")
    assert (found["note"], found["series"]["count"]) == ("second", 2)
    assert found["regarding"]["name"] == "a"


@clause
async def a_patch_without_a_count_keeps_that_of_the_series(api: Api, namespace: str) -> None:
    made = event(namespace, "first")
    await api.create(paths.EVENTS, namespace, made)
    seen = {"series": {"lastObservedTime": made["eventTime"]}}
    stored = await api.patch(paths.CORE_EVENTS, namespace, "a.1", seen)
    assert not stored["series"].get("count")
    await api.patch(paths.CORE_EVENTS, namespace, "a.1", {"series": {"count": 7}})
    stored = await api.patch(paths.CORE_EVENTS, namespace, "a.1", seen)
    assert stored["series"]["count"] == 7

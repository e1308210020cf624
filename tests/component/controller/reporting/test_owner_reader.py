"""The chain of owners ends at the object that a user made; what is not true is not believed."""

import pytest

from api_double import refusals
from elasticquota.model.owner import Owner
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.reporting import owner_reader
from owned_pods import Owned


async def top(owned: Owned, owner: Owner, namespace: str = "team") -> Owner | None:
    return (await owned.reader.top(namespace, owner)).owner


async def test_the_top_of_a_replica_set_is_its_deployment(owned: Owned) -> None:
    deployment, replicas = owned.deployment("web")
    assert await top(owned, replicas) == deployment


async def test_the_top_of_a_job_is_its_cron_job_or_job_set(owned: Owned) -> None:
    cron = owned.put("batch/v1", "CronJob", "nightly")
    assert await top(owned, owned.put("batch/v1", "Job", "nightly-1", cron)) == cron
    jobs = owned.put("jobset.x-k8s.io/v1alpha2", "JobSet", "train")
    assert await top(owned, owned.put("batch/v1", "Job", "train-w-0", jobs)) == jobs


async def test_an_owner_of_an_unknown_kind_ends_the_chain_below_it(owned: Owned) -> None:
    rollout = Owner("argoproj.io/v1alpha1", "Rollout", "web", "uid-rollout")
    replicas = owned.put("apps/v1", "ReplicaSet", "web-1", rollout)
    assert await top(owned, replicas) == replicas
    assert await top(owned, rollout) is None
    assert owned.double.count("GET", "rollouts") == 0


async def test_only_metadata_is_asked_for_and_once(owned: Owned) -> None:
    _, replicas = owned.deployment("web")
    assert owned.reader.known("team", replicas) is None
    await top(owned, replicas)
    await top(owned, replicas)
    assert owned.reader.known("team", replicas) is not None
    assert owned.reader.reads == 2
    accepted = {call.accept for call in owned.double.calls if "/apps/" in call.path}
    assert accepted == {"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}


async def test_it_is_read_again_after_an_hour(owned: Owned) -> None:
    _, replicas = owned.deployment("web")
    await top(owned, replicas)
    owned.now += owner_reader.MEMORY + 1
    assert owned.reader.known("team", replicas) is None
    await top(owned, replicas)
    assert owned.reader.reads == 4


async def test_a_reference_with_another_uid_is_not_believed(owned: Owned) -> None:
    deployment, _ = owned.deployment("web")
    assert await top(owned, deployment._replace(uid="forged")) is None
    forged = owned.put("apps/v1", "ReplicaSet", "mine", deployment._replace(uid="forged"))
    assert await top(owned, forged) == forged


async def test_an_owner_of_another_namespace_is_not_found(owned: Owned) -> None:
    theirs = owned.put("apps/v1", "StatefulSet", "db", namespace="theirs")
    assert await top(owned, theirs) is None
    assert await top(owned, theirs, "theirs") == theirs


async def test_one_that_may_not_be_read_is_asked_for_once(owned: Owned) -> None:
    _, replicas = owned.deployment("web")
    owned.double.faults.answer(refusals.Refusal(403, "Forbidden", "no"), method="GET")
    assert await top(owned, replicas) is None
    assert await top(owned, replicas) is None
    assert owned.reader.reads == 1


async def test_an_answer_that_did_not_come_is_asked_for_again(owned: Owned) -> None:
    deployment, replicas = owned.deployment("web")
    owned.double.faults.answer(refusals.throttled(), times=20, method="GET")
    with pytest.raises(ApiError):
        await top(owned, replicas)
    owned.double.faults.scripted.clear()
    assert await top(owned, replicas) == deployment


async def test_a_circle_of_references_comes_to_an_end(owned: Owned) -> None:
    first = owned.put("apps/v1", "StatefulSet", "a")
    second = owned.put("apps/v1", "StatefulSet", "b", first)
    resource = owned.resource("apps", "StatefulSet")

    def own(found: dict[str, dict[str, object]]) -> None:
        reference = {
            "apiVersion": second.api_version,
            "kind": second.kind,
            "name": second.name,
            "uid": second.uid,
            "controller": True,
        }
        found["metadata"]["ownerReferences"] = [reference]

    owned.double.edit(resource, "team", "a", own)
    assert await top(owned, first) in (first, second)
    assert owned.reader.reads == 2


async def test_what_is_kept_is_bounded(owned: Owned, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner_reader, "REMEMBERED", 2)
    sets = [owned.put("apps/v1", "StatefulSet", name) for name in ("a", "b", "c")]
    for each in sets:
        await top(owned, each)
    assert [owned.reader.known("team", each) is None for each in sets] == [True, False, False]

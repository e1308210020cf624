"""Koordinator's definition replaces ours: its keys decide, and our fields have no effect."""

from collections.abc import Iterator
from functools import partial

import pytest

import fewer_fields
import koordinators_definition
from doctor_report import doctor, of_installation
from local_cluster import cluster as local
from scenes import PREFIX, Pool, condition
from users import Document, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission")]

OURS = {"parent", "reclaim", "paused"}


@pytest.fixture
def with_fields(pool: Pool) -> Pool:
    """One quota says its parent by the field only, and another one is paused."""
    for short, fields in (("team", {"reclaim": {"grace": "30s"}}), ("stopped", {"paused": True})):
        manifest = pool.quota_manifest(short, min=2, max=2, **fields)
        del manifest["metadata"]["labels"]
        manifest["spec"]["parent"] = pool.root
        pool.admin.create(manifest)
    eventually(lambda: is_paused(pool), True)  # a pod may come by its watch before its quota does
    pool.pods("stopped", 1)
    eventually(lambda: pool.status("stopped").get("pods"), {"admitted": 0, "gated": 1})
    return pool


def is_paused(pool: Pool) -> bool:
    """Whether the controller knows that the quota is paused."""
    return bool(condition(pool.get("stopped"), "Paused")["status"] == "True")


@pytest.fixture
def theirs(with_fields: Pool, admin: User) -> Iterator[Pool]:
    """The pool under Koordinator's definition."""
    probe = with_fields.quota_manifest("probe", min=1, max=2, paused=True)
    with koordinators_definition.installed(admin, probe):
        yield with_fields


def len_running(pool: Pool, quota: str) -> int:
    return len(pool.running(quota))


def test_quotas_go_by_their_keys_and_fields_end_with_the_next_write(
    theirs: Pool, admin: User, cluster: local.Cluster
) -> None:
    manifest = theirs.quota_manifest("keys", min=2, max=2)
    assert set(manifest["spec"]) == {"min", "max"}, "as users of Koordinator write it"
    admin.create(manifest)
    for quota in ("keys", "team"):
        assert not OURS & set(theirs.get(quota)["spec"])
        assert theirs.get(quota)["metadata"]["labels"][f"{PREFIX}parent"] == theirs.root
        theirs.pods(quota, 3)
        eventually(partial(len_running, theirs, quota), 2)
    change = {"metadata": {"labels": {"edited": "yes"}}}
    admin.patch("ElasticQuota", theirs.name("stopped"), theirs.namespace, change=change)
    eventually(lambda: theirs.running("stopped"), {"stopped-0"})

    code, report = doctor(cluster.kubeconfig)
    (found,) = of_installation(report)
    assert code == 1
    assert found["level"] == "error"
    assert found["object"] == f"CustomResourceDefinition {koordinators_definition.NAME}"
    assert "The API server drops spec.pools, spec.parent, spec." in found["message"]
    assert "kubectl apply --server-side --force-conflicts -f crds/" in found["remedy"]


def test_when_our_definition_is_back_fields_count_again_where_they_are_written_again(
    with_fields: Pool, admin: User, cluster: local.Cluster
) -> None:
    pool, place = with_fields, (with_fields.name("stopped"), with_fields.namespace)
    probe = pool.quota_manifest("probe", min=1, max=2, paused=True)
    with koordinators_definition.installed(admin, probe):
        change = {"metadata": {"labels": {"edited": "yes"}}}
        admin.patch("ElasticQuota", *place, change=change)
        eventually(lambda: pool.running("stopped"), {"stopped-0"})
    assert "paused" not in pool.get("stopped")["spec"], "a write has dropped it for good"
    admin.patch("ElasticQuota", *place, change={"spec": {"paused": True}})
    eventually(lambda: is_paused(pool), True)
    pool.pods("stopped", 1, prefix="late")
    eventually(lambda: pool.status("stopped").get("pods"), {"admitted": 1, "gated": 1})
    eventually(lambda: of_installation(doctor(cluster.kubeconfig)[1]), [], within=60)


def said_of_fields(pool: Pool) -> Document:
    """The condition of the profile about its fields."""
    profile = pool.admin.get("ElasticQuotaProfile", "pool", pool.namespace)
    return condition(profile, "FieldsDropped")


def told(pool: Pool, definition: str) -> set[tuple[str, str]]:
    """The objects of which events say that this definition is replaced."""
    return {
        (each["involvedObject"]["kind"], each["involvedObject"]["name"])
        for each in pool.admin.list("Event", pool.namespace)
        if each["reason"] == "DefinitionReplaced" and definition in each["message"]
    }


def test_profiles_say_by_condition_what_is_dropped_until_ours_is_back(
    with_fields: Pool, admin: User
) -> None:
    pool = with_fields
    eventually(lambda: said_of_fields(pool)["status"], "", within=60)
    probe = pool.quota_manifest("probe", min=1, max=2, paused=True)
    with koordinators_definition.installed(admin, probe):
        eventually(lambda: said_of_fields(pool)["status"], "True", within=60)
        found = said_of_fields(pool)
        assert found["reason"] == "DefinitionReplaced"
        assert f"{koordinators_definition.NAME}: it is not the one of" in found["message"]
        assert "drops spec.pools, spec.parent, spec.isParent and " in found["message"]
        both = {("ElasticQuotaProfile", "pool"), ("ElasticQuota", pool.root)}
        eventually(lambda: told(pool, koordinators_definition.NAME), both, within=60)
    eventually(lambda: said_of_fields(pool)["status"], "", within=60)


def test_where_no_status_has_a_place_for_it_events_say_what_is_dropped(
    theirs: Pool, admin: User
) -> None:
    """Koordinator's profiles have an empty status."""
    both = {("ElasticQuotaProfile", "pool"), ("ElasticQuota", theirs.root)}
    with fewer_fields.defined(admin, {fewer_fields.PROFILES: ()}):
        eventually(lambda: told(theirs, fewer_fields.PROFILES), both, within=60)
        assert said_of_fields(theirs)["status"] == ""

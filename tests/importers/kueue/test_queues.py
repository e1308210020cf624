"""Kueue's Cohorts, ClusterQueues, LocalQueues and ResourceFlavors become a tree of quotas."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

import translations
from elasticquota import names
from elasticquota.integrations.translation.translation import Translation
from elasticquota.model.pools import Pool
from elasticquota.model.quota import Quota
from elasticquota.model.selector import EVERYTHING, Requirement, Selector
from elasticquota.wire.quota import profile_manifests, profiles


EXAMPLE = Path(__file__).parents[3] / "examples/import/kueue.yaml"
DOES = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}


def cohort(name: str, parent: str = "", **spec: Any) -> Any:
    return _object("Cohort", name, {"parentName": parent, **spec})


def queue(name: str, cohort_name: str = "", **spec: Any) -> Any:
    usual = {"namespaceSelector": {}, "preemption": DOES, "cohortName": cohort_name}
    return _object("ClusterQueue", name, {**usual, **spec})


def local_queue(namespace: str, name: str, cluster_queue: str, **spec: Any) -> Any:
    found = _object("LocalQueue", name, {"clusterQueue": cluster_queue, **spec})
    found["metadata"]["namespace"] = namespace
    return found


def flavor(name: str, **spec: Any) -> Any:
    return _object("ResourceFlavor", name, spec)


def _object(kind: str, name: str, spec: Any) -> Any:
    metadata = {"name": name}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": kind,
        "metadata": metadata,
        "spec": spec,
    }


def groups(*flavors: tuple[str, dict[str, Any]]) -> Any:
    """One group; of each resource of a flavor its nominalQuota, or all its fields."""
    return [
        {
            "coveredResources": sorted({key for _, found in flavors for key in found}),
            "flavors": [
                {
                    "name": name,
                    "resources": [
                        {
                            "name": key,
                            **(value if isinstance(value, dict) else {"nominalQuota": value}),
                        }
                        for key, value in found.items()
                    ],
                }
                for name, found in flavors
            ],
        }
    ]


def has(**found: Any) -> Any:
    """The groups of a member with one flavor."""
    return groups(
        ("f", {key.replace("gpu", "nvidia.com/gpu"): each for key, each in found.items()})
    )


def of(*objects: Any) -> Translation:
    return translations.of_kueue(*objects, flavor("f"))


def quotas(found: Translation) -> dict[str, Quota]:
    return {quota.name: quota for quota in found.quotas}


def test_the_example_is_a_tree_with_the_numbers_of_its_objects() -> None:
    found = translations.of_kueue(*translations.decoded(EXAMPLE.read_text()))
    assert translations.limits(found) == {
        "research": (
            {"cpu": "20", "memory": "80Gi", "nvidia.com/gpu": "4"},
            {"cpu": "20", "memory": "80Gi", "nvidia.com/gpu": "4"},
        ),
        "team-a": (
            {"cpu": "6", "memory": "24Gi"},
            {"cpu": "20", "memory": "80Gi", "nvidia.com/gpu": "0"},
        ),
        "team-b": (
            {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "4"},
            {"cpu": "12", "memory": "80Gi", "nvidia.com/gpu": "4"},
        ),
        "teaching": (
            {"cpu": "2", "memory": "8Gi"},
            {"cpu": "20", "memory": "80Gi", "nvidia.com/gpu": "0"},
        ),
        "thesis": (
            {"cpu": "2", "memory": "8Gi"},
            {"cpu": "20", "memory": "80Gi", "nvidia.com/gpu": "0"},
        ),
    }
    assert {name: quota.parent for name, quota in quotas(found).items()} == {
        "research": names.ROOT_QUOTA,
        "teaching": "research",
        "team-a": "research",
        "team-b": "research",
        "thesis": "teaching",
    }
    assert translations.refusals(found, ("students", "team-a", "team-b")) == []


def test_a_quota_of_a_cohort_is_added_to_those_of_its_members() -> None:
    found = of(
        cohort("all", resourceGroups=has(cpu=4)),
        cohort("some", "all", resourceGroups=has(cpu=1)),
        queue("a", "some", resourceGroups=has(cpu=2)),
    )
    assert {name: quota.min for name, quota in quotas(found).items()} == {
        "all": {"cpu": 7000},
        "some": {"cpu": 3000},
        "a": {"cpu": 2000},
    }
    assert found.warnings == ()


def test_a_queue_without_a_cohort_borrows_nothing() -> None:
    found = of(queue("a", resourceGroups=has(cpu=2)), queue("b", resourceGroups=has(cpu=3)))
    assert translations.limits(found) == {"a": ({"cpu": "2"},) * 2, "b": ({"cpu": "3"},) * 2}


def test_a_borrowing_limit_is_added_to_the_nominal_quota() -> None:
    limited = {"nominalQuota": 2, "borrowingLimit": 3}
    found = of(
        queue("a", "all", resourceGroups=has(cpu=limited)),
        queue("b", "all", resourceGroups=has(cpu=8)),
    )
    assert quotas(found)["a"].max == {"cpu": 5000}


def test_without_a_borrowing_limit_a_queue_may_use_all_that_its_cohorts_have() -> None:
    found = of(
        queue("a", "all", resourceGroups=has(cpu=2)), queue("b", "all", resourceGroups=has(cpu=8))
    )
    assert quotas(found)["a"].max == {"cpu": 10_000}
    assert quotas(found)["all"].max == {"cpu": 10_000}


def test_a_borrowing_limit_of_a_cohort_concerns_all_that_is_below_it() -> None:
    limited = {"nominalQuota": 1, "borrowingLimit": 3}
    found = of(
        cohort("some", "all", resourceGroups=has(cpu=limited)),
        queue("a", "some", resourceGroups=has(cpu=2)),
        queue("b", "all", resourceGroups=has(cpu=8)),
    )
    assert quotas(found)["some"].max == {"cpu": 6000}


def test_a_resource_that_a_queue_does_not_cover_cannot_be_used_in_it() -> None:
    found = of(queue("a", resourceGroups=has(cpu=2)), queue("b", resourceGroups=has(cpu=1, gpu=8)))
    assert quotas(found)["a"].max == {"cpu": 2000, "nvidia.com/gpu": 0}


def test_pods_count_only_where_they_are_covered() -> None:
    found = of(
        queue("a", "all", resourceGroups=has(cpu=2)),
        queue("b", "all", resourceGroups=has(cpu=2, pods=5)),
    )
    assert "pods" not in quotas(found)["a"].max
    assert quotas(found)["b"].max["pods"] == 5
    assert quotas(found)["all"].max["pods"] > 2**50


def test_a_lending_limit_of_0_is_kept_and_others_are_reported() -> None:
    none, some = ({"nominalQuota": 4, "lendingLimit": limit} for limit in (0, 1))
    found = of(
        queue("a", "all", resourceGroups=has(cpu=none)),
        queue("b", "all", resourceGroups=has(cpu=some)),
        queue("c", "all", resourceGroups=has(cpu=4)),
    )
    assert {name: each.allow_lent for name, each in quotas(found).items()} == {
        "all": True,
        "a": False,
        "b": True,
        "c": True,
    }
    assert translations.lines(found) == [
        "ClusterQueue b: spec.resourceGroups: lends at most 1 of 4 cpu; here all of it is lent, "
        "and reclaimed when it is needed"
    ]


@pytest.mark.parametrize(
    ("written", "cpu", "memory"),
    [((2, 1), ("2", "1"), ("2", "1")), ((2, "0.5"), ("2", "500m"), ("2000", "500"))],
)
def test_weights_are_those_of_fair_sharing(
    written: tuple[Any, Any], cpu: tuple[str, str], memory: tuple[str, str]
) -> None:
    found = of(
        *(
            queue(name, "all", fairSharing={"weight": weight}, resourceGroups=has(cpu=1, memory=1))
            for name, weight in zip("ab", written, strict=True)
        )
    )
    assert translations.weights(found) == {
        name: {"cpu": cpu[at], "memory": memory[at]} for at, name in enumerate("ab")
    }


def test_a_weight_of_0_is_the_smallest_one() -> None:
    found = of(
        queue("a", "all", fairSharing={"weight": 0}, resourceGroups=has(cpu=1)),
        queue("b", "all", resourceGroups=has(cpu=1)),
    )
    assert quotas(found)["a"].shared_weight == {"cpu": 1}
    assert quotas(found)["b"].shared_weight == {"cpu": 1000}
    assert [warning.where for warning in found.warnings] == ["spec.fairSharing.weight"]


def test_a_weight_that_no_quantity_holds_is_cut() -> None:
    huge = {"weight": "9" * 40 + "E"}
    found = of(queue("a", "all", fairSharing=huge, resourceGroups=has(cpu=1)))
    assert quotas(found)["a"].shared_weight == {"cpu": 10**15}
    assert translations.read_back(found) == found.quotas


def test_strict_fifo_is_strict_queueing() -> None:
    found = of(queue("a", queueingStrategy="StrictFIFO"), queue("b"))
    assert {name: each.strict_queue for name, each in quotas(found).items()} == {
        "a": True,
        "b": False,
    }


def test_namespaces_are_bound_by_local_queues_and_no_other_pods_may_name_the_quota() -> None:
    found = of(queue("a"), local_queue("team", "x", "a"), local_queue("team", "y", "a"))
    assert quotas(found)["a"].namespaces == ("team",)
    assert quotas(found)["a"].allowed_namespaces == ()
    assert found.warnings == ()


def test_of_several_queues_of_a_namespace_the_one_called_default_counts() -> None:
    found = of(
        queue("a"),
        queue("b"),
        local_queue("team", "batch", "a"),
        local_queue("team", "default", "b"),
    )
    assert {name: each.namespaces for name, each in quotas(found).items()} == {
        "a": (),
        "b": ("team",),
    }
    assert quotas(found)["a"].allowed_namespaces == ("team",)
    assert translations.lines(found) == [
        "LocalQueue team/batch: spec.clusterQueue: 'team' is bound to ClusterQueue b, by "
        "LocalQueue default; label the pods of this one with their quota, by "
        "quota.scheduling.koordinator.sh/name"
    ]


def test_a_local_queue_of_an_unknown_cluster_queue_is_reported() -> None:
    found = of(queue("a"), local_queue("team", "x", "b"))
    assert translations.lines(found) == [
        "LocalQueue team/x: spec.clusterQueue: there is no ClusterQueue 'b' in what was given; "
        "'team' is not bound"
    ]


def test_several_flavors_of_a_resource_add_up() -> None:
    flavors = groups(("spot", {"cpu": 3}), ("on-demand", {"cpu": 2}))
    found = translations.of_kueue(
        queue("a", resourceGroups=flavors), flavor("spot"), flavor("on-demand")
    )
    assert translations.limits(found) == {"a": ({"cpu": "5"}, {"cpu": "5"})}
    assert [warning.where for warning in found.warnings] == ["spec.resourceGroups[0].flavors"]


def test_the_labels_of_flavors_are_the_nodes_of_the_quota() -> None:
    flavors = groups(("v100", {"cpu": 3}), ("a100", {"cpu": 2}))
    found = translations.of_kueue(
        queue("a", resourceGroups=flavors),
        flavor("v100", nodeLabels={"gpu": "v100"}),
        flavor("a100", nodeLabels={"gpu": "a100"}),
    )
    assert quotas(found)["a"].nodes == Selector((Requirement("gpu", "In", ("a100", "v100")),))


def test_nodes_that_no_selector_can_say_are_reported() -> None:
    found = translations.of_kueue(
        queue("a", resourceGroups=[*groups(("x", {"cpu": 3})), *groups(("y", {"memory": 2}))]),
        flavor("x", nodeLabels={"pool": "x"}, tolerations=[{"operator": "Exists"}]),
        flavor("y"),
    )
    assert quotas(found)["a"].nodes is EVERYTHING
    assert [warning.line.partition(";")[0] for warning in found.warnings] == [
        "ClusterQueue a: spec.resourceGroups: which nodes a pod gets depends on the resources that "
        "it asks for",
        "ResourceFlavor x: spec.tolerations: is not taken over",
    ]


def test_an_unknown_flavor_is_reported() -> None:
    found = translations.of_kueue(queue("a", resourceGroups=has(cpu=1)))
    assert translations.lines(found) == [
        "ClusterQueue a: spec.resourceGroups[0].flavors[0].name: there is no ResourceFlavor 'f' in "
        "what was given"
    ]


def test_preemption_that_differs_is_reported() -> None:
    found = of(
        queue(
            "a",
            "all",
            preemption={
                "reclaimWithinCohort": "LowerPriority",
                "borrowWithinCohort": {"policy": "LowerPriority"},
            },
        )
    )
    assert [warning.where for warning in found.warnings] == [
        "spec.preemption.borrowWithinCohort",
        "spec.preemption.reclaimWithinCohort",
        "spec.preemption.withinClusterQueue",
    ]


def test_what_is_left_out_is_reported() -> None:
    found = of(
        queue(
            "a",
            admissionChecks=["x"],
            admissionScope={"admissionMode": "UsageBasedAdmissionFairSharing"},
            flavorFungibility={"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
            namespaceSelector=None,
            stopPolicy="Hold",
        ),
        local_queue("team", "x", "a", stopPolicy="Hold", fairSharing={"weight": 2}),
    )
    assert [(warning.source, warning.where) for warning in found.warnings] == [
        ("ClusterQueue a", "spec.admissionChecks"),
        ("ClusterQueue a", "spec.admissionScope"),
        ("ClusterQueue a", "spec.namespaceSelector"),
        ("ClusterQueue a", "spec.stopPolicy"),
        ("LocalQueue team/x", "spec.fairSharing"),
        ("LocalQueue team/x", "spec.stopPolicy"),
    ]


def test_the_cohort_of_v1beta1_is_read_too() -> None:
    old = queue("a", resourceGroups=has(cpu=1))
    del old["spec"]["cohortName"]
    old["spec"]["cohort"] = "some"
    above = cohort("some")
    above["spec"] = {"parent": "all"}
    found = of(old, above)
    assert {name: quota.parent for name, quota in quotas(found).items()} == {
        "all": names.ROOT_QUOTA,
        "some": "all",
        "a": "some",
    }


def test_cohorts_in_a_circle_are_first_levels_and_the_rest_is_taken_over() -> None:
    found = of(
        cohort("x", "y"), cohort("y", "x"), queue("a", "x", resourceGroups=has(cpu=1)), queue("b")
    )
    assert {name: quota.parent for name, quota in quotas(found).items()} == {
        "x": names.ROOT_QUOTA,
        "y": names.ROOT_QUOTA,
        "a": "x",
        "b": names.ROOT_QUOTA,
    }
    assert translations.lines(found) == [
        "Cohort x: spec.parentName: is its own ancestor (x -> y -> x); taken over without a parent",
        "Cohort y: spec.parentName: is its own ancestor (y -> x -> y); taken over without a parent",
    ]


def test_a_cohort_and_a_queue_of_one_name_both_get_a_hash() -> None:
    found = of(queue("a", "a", resourceGroups=has(cpu=1)))
    assert sorted(found.origins.values()) == ["kueue:clusterqueue/a", "kueue:cohort/a"]
    assert all(name.startswith("a-") for name in found.origins)


def test_a_quota_does_not_take_the_name_of_a_namespace_that_it_does_not_bind() -> None:
    found = of(queue("team"), queue("other"), local_queue("team", "x", "other"))
    assert [name[:5] for name in sorted(found.origins)] == ["other", "team-"]
    assert translations.refusals(found, ("team",)) == []


def test_an_amount_that_cannot_be_read_is_reported_and_grants_nothing() -> None:
    found = of(queue("a", resourceGroups=has(cpu=-1, memory="1Gi")))
    assert translations.limits(found) == {"a": ({"memory": "1Gi"}, {"cpu": "0", "memory": "1Gi"})}
    assert translations.lines(found) == [
        "ClusterQueue a: spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: must not be "
        "negative, got -1; left out"
    ]


def test_a_limit_without_a_cohort_is_reported() -> None:
    found = of(queue("a", resourceGroups=has(cpu={"nominalQuota": 1, "borrowingLimit": 5})))
    assert translations.limits(found) == {"a": ({"cpu": "1"}, {"cpu": "1"})}
    assert [warning.text for warning in found.warnings] == [
        "a borrowingLimit means nothing without a cohort above; left out"
    ]


def test_of_two_objects_of_one_name_one_counts_in_any_order() -> None:
    one, two = queue("a", resourceGroups=has(cpu=1)), queue("a", resourceGroups=has(cpu=2))
    assert of(one, two) == of(two, one)
    assert "there are two of this name; not taken over" in translations.texts(of(one, two))
    assert translations.texts(of(one, one)) == []


A100, T4 = (f"{name}.pool.elasticquota.dev/nvidia.com_gpu" for name in ("a100", "t4"))
KINDS = (
    flavor("t4", nodeLabels={"gpu": "t4"}),
    flavor("a100", nodeLabels={"gpu": "a100"}),
)


def of_kinds(a100: Any, t4: Any) -> Any:
    """A group of GPUs of two flavors, the A100s first."""
    return groups(("a100", {"nvidia.com/gpu": a100}), ("t4", {"nvidia.com/gpu": t4}))


def test_flavors_with_labels_are_pools_of_a_profile_in_the_order_of_the_queue() -> None:
    found = translations.of_kueue(queue("a", resourceGroups=of_kinds(2, 3)), *KINDS)
    (profile,) = found.profiles
    assert profile.pools is not None
    assert profile.pools.pools == (
        Pool("a100", (("gpu", "a100"),)),
        Pool("t4", (("gpu", "t4"),)),
    )
    assert profile.pools.resources == ("nvidia.com/gpu",)
    assert quotas(found)["a"].parent == profile.quota_name
    assert found.warnings == ()


def test_each_flavor_has_its_nominal_quota_and_its_borrowing_limit() -> None:
    limited = {"nominalQuota": 1, "borrowingLimit": 1}
    found = translations.of_kueue(
        cohort("all"),
        queue("a", "all", resourceGroups=of_kinds(2, 3)),
        queue("b", "all", resourceGroups=of_kinds(limited, 4)),
        *KINDS,
    )
    assert translations.limits(found) == {
        "all": (
            {A100: "3", T4: "7", "nvidia.com/gpu": "10"},
            {A100: "3", T4: "7", "nvidia.com/gpu": "10"},
        ),
        "a": (
            {A100: "2", T4: "3", "nvidia.com/gpu": "5"},
            {A100: "3", T4: "7", "nvidia.com/gpu": "10"},
        ),
        "b": (
            {A100: "1", T4: "4", "nvidia.com/gpu": "5"},
            {A100: "2", T4: "7", "nvidia.com/gpu": "10"},
        ),
    }


def test_a_flavor_that_a_queue_does_not_name_cannot_be_used_in_it() -> None:
    one = groups(("t4", {"nvidia.com/gpu": 1}))
    found = translations.of_kueue(
        cohort("all"),
        queue("a", "all", resourceGroups=of_kinds(2, 3)),
        queue("b", "all", resourceGroups=one),
        *KINDS,
    )
    assert quotas(found)["b"].max[A100] == 0


def test_another_order_of_flavors_is_reported() -> None:
    other = groups(("t4", {"nvidia.com/gpu": 1}), ("a100", {"nvidia.com/gpu": 1}))
    found = translations.of_kueue(
        queue("a", resourceGroups=of_kinds(2, 3)), queue("b", resourceGroups=other), *KINDS
    )
    assert translations.lines(found) == [
        "ClusterQueue b: spec.resourceGroups[0].flavors: prefers t4, a100; the order of a tree is "
        "one for all its quotas, and that is a100, t4"
    ]


def test_the_order_in_which_a_cohort_lists_flavors_means_nothing() -> None:
    other = groups(("t4", {"nvidia.com/gpu": 1}), ("a100", {"nvidia.com/gpu": 1}))
    of_all = cohort("all", resourceGroups=other)
    found = translations.of_kueue(of_all, queue("a", "all", resourceGroups=of_kinds(2, 3)), *KINDS)
    assert translations.lines(found) == []


def test_what_is_written_is_read_as_the_profile_that_was_made() -> None:
    found = translations.of_kueue(queue("a", resourceGroups=of_kinds(2, 3)), *KINDS)
    (made,) = found.profiles
    written = profile_manifests.manifest(made, {})
    again = profiles.read(msgspec.convert(written, profiles.ProfileManifest))
    assert (again.faults, again.pools, again.selector, again.quota_name) == (
        *((), made.pools, made.selector, made.quota_name),
    )

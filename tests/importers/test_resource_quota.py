"""core/v1 ResourceQuotas become the max of their namespace's quota."""

from typing import Any

import translations


def resource_quota(name: str, hard: Any, **spec: Any) -> Any:
    return {"metadata": {"name": name, "namespace": "team"}, "spec": {"hard": hard, **spec}}


def test_requests_become_max_and_the_rest_is_reported() -> None:
    found = translations.of_resource_quotas(
        resource_quota(
            "compute",
            {
                "requests.cpu": "20",
                "requests.memory": "64Gi",
                "requests.nvidia.com/gpu": 4,
                "requests.storage": "1Ti",
                "hugepages-2Mi": "1Gi",
                "limits.cpu": 40,
                "pods": 100,
                "count/jobs.batch": 5,
            },
        )
    )
    assert translations.limits(found) == {
        "team": (
            {},
            {
                "cpu": "20",
                "hugepages-2Mi": "1Gi",
                "memory": "64Gi",
                "nvidia.com/gpu": "4",
                "pods": "100",
            },
        )
    }
    assert [warning.where for warning in found.warnings] == [
        "spec.hard.count/jobs.batch",
        "spec.hard.limits.cpu",
        "spec.hard.requests.storage",
    ]
    assert found.quotas[0].binds("team")
    assert translations.refusals(found) == []


def test_limits_of_devices_become_max_under_the_name_of_their_class() -> None:
    name = "gpu.example.com.deviceclass.resource.k8s.io/devices"
    found = translations.of_resource_quotas(
        resource_quota("one", {name: 8, "count/resourceclaims.resource.k8s.io": 3}),
        resource_quota("two", {"requests.deviceclass.resource.kubernetes.io/gpu.example.com": 5}),
    )
    assert translations.limits(found) == {"team": ({}, {name: "5"})}
    assert [warning.where for warning in found.warnings] == [
        "spec.hard.count/resourceclaims.resource.k8s.io"
    ]


def test_the_smallest_of_several_limits_counts() -> None:
    found = translations.of_resource_quotas(
        resource_quota("a", {"cpu": 4, "requests.cpu": 3, "memory": "1Gi"}),
        resource_quota("b", {"cpu": 5, "memory": "512Mi"}),
    )
    assert translations.limits(found) == {"team": ({}, {"cpu": "3", "memory": "512Mi"})}
    assert found.origins == {"team": "resourcequota:team/a,b"}


def test_one_that_counts_only_some_pods_is_not_taken_over() -> None:
    found = translations.of_resource_quotas(
        resource_quota("best-effort", {"pods": 4}, scopes=["BestEffort"])
    )
    assert found.quotas == ()
    assert translations.lines(found) == [
        "ResourceQuota team/best-effort: spec.scopes: counts only some of the pods; not taken over"
    ]


def test_a_key_that_is_no_name_is_reported_on_one_line() -> None:
    found = translations.of_resource_quotas(resource_quota("a", {"hugepages-\n": 1}))
    assert translations.lines(found)[0].startswith(
        "ResourceQuota team/a: spec.hard['hugepages-?']: limits nothing"
    )


def test_what_cannot_be_read_is_reported_by_the_key_that_was_written() -> None:
    found = translations.of_resource_quotas(resource_quota("a", {"requests.cpu": [], "cpu": 2}))
    assert translations.limits(found) == {"team": ({}, {"cpu": "2"})}
    assert translations.lines(found) == [
        "ResourceQuota team/a: spec.hard.requests.cpu: must be a quantity like 500m or 2, got a "
        "list; left out"
    ]


def test_one_that_hnc_made_is_not_taken_over() -> None:
    made = resource_quota("hrq.hnc.x-k8s.io", {"cpu": 4})
    made["metadata"]["labels"] = {"hnc.x-k8s.io/hrq": "true"}
    found = translations.of_resource_quotas(made, resource_quota("compute", {"cpu": 9}))
    assert translations.limits(found) == {"team": ({}, {"cpu": "9"})}
    assert translations.lines(found) == [
        "ResourceQuota team/hrq.hnc.x-k8s.io: metadata.labels[hnc.x-k8s.io/hrq]: HNC makes it from "
        "its own quotas; not taken over, import those"
    ]

"""Templates state what decides about nodes, for groups of pods and for jobs."""

from typing import Any

import pytest

from elasticquota import names
from elasticquota.jobs import job
from elasticquota.jobs.kinds import table
from elasticquota.model.selector import EVERYTHING, Requirement, Selector
from elasticquota.provisioning import pod_sets
from elasticquota.provisioning.pod_sets import EqualPods
from elasticquota.structs import replace
from worlds import World


BATCH = next(each for each in table.BUILT_IN if each.kind == "Job")
RAY = next(each for each in table.BUILT_IN if each.kind == "RayJob")
POOL = Selector((Requirement("pool", "In", ("a",)),))
EXPRESSION = {"key": "pool", "operator": "In", "values": ["a"]}


def container(cpu: str) -> dict[str, Any]:
    return {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}


def test_equal_pods_of_a_group_are_one_set() -> None:
    world = World()
    small = world.pods("team-a", 2, waiting=True)
    large = world.pods("team-a", 1, cpu=4, waiting=True)
    assert pod_sets.of_pods([*small, *large]) == (
        EqualPods(2, small[0].request, small[0].key),
        EqualPods(1, large[0].request, large[0].key),
    )


def test_a_job_asks_by_the_templates_that_it_states() -> None:
    template = {"spec": {"containers": [container("2")]}}
    document = {"metadata": {}, "spec": {"parallelism": 3, "template": template}}
    found = pod_sets.of_job(job.read(document, BATCH), BATCH, document)
    assert found == (EqualPods(3, {"cpu": 2000, names.PODS: 1}, None, template),)


def test_each_part_of_a_job_is_a_set_and_an_elastic_job_asks_for_its_least() -> None:
    def part(cpu: str) -> dict[str, Any]:
        return {"spec": {"containers": [container(cpu)]}}

    cluster = {
        "headGroupSpec": {"template": part("1")},
        "workerGroupSpecs": [{"groupName": "w", "replicas": 4, "template": part("2")}],
    }
    document = {"metadata": {}, "spec": {"rayClusterSpec": cluster}}
    found = pod_sets.of_job(job.read(document, RAY), RAY, document)
    assert [(each.count, each.request["cpu"]) for each in found if each.template] == [
        (1, 1000),
        (4, 2000),
    ]


def test_a_job_that_states_only_an_amount_asks_for_the_amount() -> None:
    (found,) = pod_sets.of_job(
        job.read(
            {"metadata": {"annotations": {names.MIN_RESOURCES[0]: "cpu: 5"}}},
            replace(BATCH, stated=True),
        ),
        BATCH,
        {},
    )
    assert (found.count, found.pod, found.template) == (1, None, None)
    assert found.request["cpu"] == 5000


@pytest.mark.parametrize("spec", [None, [], {"containers": None}, {"containers": []}, {"x": 1}])
def test_a_template_without_containers_is_none(spec: Any) -> None:
    document = {"metadata": {}, "spec": {"parallelism": 3, "template": {"spec": spec}}}
    found = pod_sets.of_job(job.read(document, BATCH), BATCH, document)
    assert [each.template for each in found] in ([None], [])


def test_a_template_has_what_decides_about_nodes_and_nothing_of_one_pod() -> None:
    pod = {
        "metadata": {"name": "a", "labels": {"app": "x"}, "annotations": {"secret": "1"}},
        "spec": {
            "schedulingGates": [{"name": names.GATE}],
            "nodeName": "n",
            "hostname": "a-0",
            "tolerations": [{"operator": "Exists"}],
            "containers": [container("1")],
        },
        "status": {"phase": "Pending"},
    }
    assert pod_sets.template_of(pod, EVERYTHING) == {
        "metadata": {"labels": {"app": "x"}},
        "spec": {"tolerations": [{"operator": "Exists"}], "containers": [container("1")]},
    }


def required(*terms: Any) -> dict[str, Any]:
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"nodeAffinity": rule}


OWN = {"key": "disk", "operator": "Exists"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, required({"matchExpressions": [EXPRESSION]})),
        ({"podAffinity": {}}, {"podAffinity": {}, **required({"matchExpressions": [EXPRESSION]})}),
        (
            required({"matchExpressions": [OWN]}, {"matchExpressions": [EXPRESSION]}),
            required({"matchExpressions": [OWN, EXPRESSION]}, {"matchExpressions": [EXPRESSION]}),
        ),
        (required({"x": 1}), required({"x": 1})),
        ("odd", "odd"),
        ({"nodeAffinity": 3}, {"nodeAffinity": 3}),
    ],
)
def test_a_template_asks_for_the_nodes_of_its_tree_in_every_alternative(
    before: Any, after: Any
) -> None:
    spec = {"containers": []} if before is None else {"containers": [], "affinity": before}
    found = pod_sets.template_of({"spec": spec}, POOL)
    assert found["spec"]["affinity"] == after


def test_a_bare_template_asks_for_the_amounts_and_limits_extended_resources() -> None:
    request = {"cpu": 1500, "nvidia.com/gpu": 2, names.PODS: 1, names.MAX_JOBS: 1, "memory": 0}
    found = pod_sets.bare_template(request, POOL)["spec"]
    assert found["containers"][0]["resources"] == {
        "requests": {"cpu": "1500m", "nvidia.com/gpu": "2"},
        "limits": {"nvidia.com/gpu": "2"},
    }
    assert found["affinity"] == required({"matchExpressions": [EXPRESSION]})

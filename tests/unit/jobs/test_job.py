"""A job is what its object says; unreadable fields count nothing and are reported by path."""

import copy
from typing import Any

import pytest

import published_jobs
from elasticquota import names, resources
from elasticquota.jobs import job
from elasticquota.jobs.adapter import JobAdapter, PodPaths, Sign
from elasticquota.jobs.kinds import table
from elasticquota.model.constraints import EVERYWHERE, NodeRequirement, NodeTerm
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.owner import Owner
from elasticquota.structs import replace


ADAPTERS = {each.kind: each for each in table.BUILT_IN}
JOB = ADAPTERS["Job"]
JOB_SET = ADAPTERS["JobSet"]

SOLVER = JobAdapter(
    group="example.com",
    versions=("v1",),
    kind="Solver",
    plural="solvers",
    running=(Sign("status.running"),),
    succeeded=(),
    failed=(),
    pods=(
        PodPaths("spec.master", name="master"),
        PodPaths("spec.helpers.*.pod", count="spec.helpers.*.count", missing=None),
    ),
)


def _pod(**requests: str) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "a", "resources": {"requests": requests}}]}}


def _solver(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a", "namespace": "b"}, "spec": spec}


def test_it_says_who_it_is_and_leaves_open_what_its_templates_do() -> None:
    document = published_jobs.of("Job")
    found = job.read(document, JOB)
    assert (found.kind, found.key, found.uid) == ("Job", Key("devops", "pi"), "u-1")
    assert (found.version, found.generation) == ("7", 1)
    assert found.created == "2026-11-22T06:00:00Z"
    assert (found.owner, found.deleting) == (None, False)
    assert (found.quota_label, found.preemptible) == ("", True)
    assert (found.priority_class, found.priority) == ("", None)
    document["metadata"]["deletionTimestamp"] = "2026-11-22T06:10:00Z"
    assert job.read(document, JOB).deleting


def _placed(selector: Any, affinity: Any = None) -> dict[str, Any]:
    found = _pod(cpu="1")
    found["spec"].update(nodeSelector=selector, affinity=affinity)
    return found


def test_it_demands_of_nodes_what_its_templates_demand_and_tolerates_all_taints() -> None:
    terms = [{"matchExpressions": [{"key": "disk", "operator": "Exists"}]}]
    affinity = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
        }
    }
    found = job.read(_solver(master=_placed({"gpu": "t4"}, affinity)), SOLVER).constraints
    assert found.selector == (("gpu", "t4"),)
    assert found.terms == (NodeTerm((NodeRequirement("disk", "Exists"),)),)
    assert found.tolerations == EVERYWHERE.tolerations


def test_of_different_templates_only_what_all_demand_counts() -> None:
    helper = {"count": 1, "pod": _placed({"gpu": "t4", "zone": "a"})}
    document = _solver(master=_placed({"gpu": "t4", "disk": "ssd"}), helpers=[helper])
    assert job.read(document, SOLVER).constraints.selector == (("gpu", "t4"),)
    document["spec"]["helpers"][0]["count"] = 0  # such a template has no pods
    assert len(job.read(document, SOLVER).constraints.selector) == 2


@pytest.mark.parametrize("odd", [5, {"gpu": 5}, ["t4"]])
def test_a_selector_of_another_shape_demands_nothing_and_hides_no_request(odd: Any) -> None:
    found = job.read(_solver(master=_placed(odd)), SOLVER)
    assert (found.constraints, found.request["cpu"]) == (EVERYWHERE, 1000)


def test_it_says_whose_it_is_in_its_template() -> None:
    document = published_jobs.of("Job")
    document["spec"]["template"]["metadata"] = {
        "labels": {"applicationId": "pi-1"},
        "annotations": {"yunikorn.apache.org/user.info": '{"user":"ann","groups":["dev"]}'},
    }
    assert job.read(document, JOB).holder == Holder("ann", ("dev",), "pi-1")


def test_a_job_of_a_job_names_the_outer_one() -> None:
    document = published_jobs.of("Job")
    document["metadata"]["ownerReferences"] = [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "u-2"},
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "name": "s",
            "uid": "u-3",
            "controller": True,
        },
    ]
    owner = job.read(document, JOB).owner
    assert owner == Owner("jobset.x-k8s.io/v1alpha2", "JobSet", "s", "u-3")


# parallelism, completions, succeeded, pods
COUNTS = [
    (None, None, None, 1),
    (4, None, None, 4),
    (4, 10, None, 4),
    (4, 2, None, 2),
    (4, 10, 8, 2),
    (4, 10, 12, 0),
    (0, None, None, 0),
    (None, 5, None, 1),
]


@pytest.mark.parametrize(("parallelism", "completions", "succeeded", "count"), COUNTS)
def test_a_job_has_as_many_pods_as_its_controller_makes_at_one_time(
    parallelism: int | None, completions: int | None, succeeded: int | None, count: int
) -> None:
    document = published_jobs.of("Job")
    document["spec"] |= {"parallelism": parallelism, "completions": completions}
    document["status"] = {"succeeded": succeeded}
    found = job.read(document, JOB)
    assert (found.faults, found.pods[0].count) == ((), count)
    assert found.request["pods"] == count


# replicas, minReplicas, maxReplicas, numOfHosts, pods, least
GROUPS = [
    (None, None, None, None, 0, 0),
    (3, None, None, None, 3, 0),
    (3, 1, 5, None, 3, 1),
    (0, 2, 5, None, 2, 2),
    (9, 1, 5, None, 5, 1),
    (3, 1, 2147483647, 4, 12, 4),
]


@pytest.mark.parametrize(("replicas", "low", "high", "hosts", "count", "least"), GROUPS)
def test_a_group_of_ray_stays_within_its_bounds(
    replicas: int | None,
    low: int | None,
    high: int | None,
    hosts: int | None,
    count: int,
    least: int,
) -> None:
    document = published_jobs.of("RayCluster")
    document["spec"]["workerGroupSpecs"][0] |= {
        "replicas": replicas,
        "minReplicas": low,
        "maxReplicas": high,
        "numOfHosts": hosts,
    }
    found = job.read(document, ADAPTERS["RayCluster"])
    assert found.faults == ()
    assert (found.pods[1].count, found.pods[1].least) == (count, least)


BAD_NUMBERS: list[tuple[Any, str]] = [
    (-1, "must be a number of pods from 0 to 2147483647, got -1"),
    (2**31, "must be a number of pods from 0 to 2147483647, got 2147483648"),
    (2**200, "must be a number of pods from 0 to 2147483647, got a huge number"),
    (1.5, "must be a number of pods from 0 to 2147483647, got 1.5"),
    (True, "must be a number of pods from 0 to 2147483647, got true"),
    ("3", "must be a number of pods from 0 to 2147483647, got '3'"),
    ([3], "must be a number of pods from 0 to 2147483647, got a list"),
    (1_000_001, "makes 1000001 pods, more than 1000000"),
]


@pytest.mark.parametrize(("number", "sentence"), BAD_NUMBERS)
def test_a_number_that_makes_no_sense_counts_nothing_and_is_reported(
    number: Any, sentence: str
) -> None:
    document = published_jobs.of("TFJob")
    document["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] = number
    found = job.read(document, ADAPTERS["TFJob"])
    assert tuple(map(str, found.faults)) == (f"spec.tfReplicaSpecs.Worker.replicas: {sentence}",)
    assert resources.text(found.request) == {"cpu": "2", "pods": "2"}


def test_numbers_that_multiply_to_nonsense_are_reported_too() -> None:
    document = published_jobs.of("JobSet")
    document["spec"]["replicatedJobs"][1]["replicas"] = 500_000
    assert tuple(map(str, job.read(document, JOB_SET).faults)) == (
        "spec.replicatedJobs[1].template.spec.parallelism: makes 2000000 pods, more than 1000000",
    )


# what stands at spec.helpers, the fault
BAD_HELPERS: list[tuple[Any, str]] = [
    ({"a": {}}, "spec.helpers.a.pod: must be a map, got null"),
    ([{"pod": [], "count": 1}], "spec.helpers[0].pod: must be a map, got a list"),
    (
        [{"pod": _pod()}],
        "spec.helpers[0].count: must be a number of pods from 0 to 2147483647, got null",
    ),
    (
        [{"pod": _pod(cpu="much"), "count": 1}],
        "spec.helpers[0].pod.spec.containers[0].resources.requests.cpu: 'much' is not a quantity; "
        "write a number with an optional suffix like 500m, 2, 1.5, 64k or 16Gi",
    ),
    (
        {"A b": {"pod": {"spec": {"containers": 3}}, "count": 1}},
        "spec.helpers.'A b'.pod.spec.containers: must be a list, got a whole number",
    ),
]


@pytest.mark.parametrize(("helpers", "fault"), BAD_HELPERS)
def test_what_cannot_be_read_is_reported_with_its_path_and_the_rest_counts(
    helpers: Any, fault: str
) -> None:
    found = job.read(_solver(master=_pod(cpu="1"), helpers=helpers), SOLVER)
    assert [each for each in map(str, found.faults) if each == fault] == [fault]
    assert found.request["cpu"] == 1000


def test_without_any_template_nothing_is_known() -> None:
    found = job.read(_solver(), SOLVER)
    assert (found.pods, tuple(map(str, found.faults))) == (
        (),
        ("spec.master: there is no pod template",),
    )


def test_sets_are_named_by_their_entries_and_never_alike() -> None:
    entry = {"pod": _pod(), "count": 1}
    alike = [{**entry, "name": name} for name in ("Small_Group", "small-group", "SMALL.GROUP")]
    found = job.read(_solver(helpers=[*alike, entry, entry]), SOLVER)
    assert [each.name for each in found.pods] == [
        "small-group",
        "small-group-2",
        "small-group-3",
        "3",
        "4",
    ]


def test_endless_lists_are_cut_and_reported() -> None:
    many = [{"pod": _pod(), "count": 1}] * 1000
    found = job.read(_solver(helpers=many), SOLVER)
    assert len(found.pods) == 256
    assert tuple(map(str, found.faults)) == ("spec.helpers[256].pod: more than 256 sets of pods",)


def test_the_templates_say_the_quota_the_class_and_whether_pods_can_be_reclaimed() -> None:
    document = published_jobs.of("Job")
    template = document["spec"]["template"]
    template["metadata"] = {"labels": {names.QUOTA_NAME: "team-a", names.PREEMPTIBLE: "false"}}
    template["spec"] |= {"priorityClassName": "high", "priority": 100}
    found = job.read(document, JOB)
    assert (found.quota_label, found.preemptible) == ("team-a", False)
    assert (found.priority_class, found.priority) == ("high", 100)


@pytest.mark.parametrize("alias", names.QUOTA_ALIASES)
def test_q29_a_label_of_ack_in_a_template_names_the_quota_where_ours_does_not(alias: str) -> None:
    document = published_jobs.of("Job")
    template = document["spec"]["template"]
    template["metadata"] = {"labels": {alias: "team-a"}}
    assert job.read(document, JOB).quota_label == "team-a"
    not_copied = replace(JOB, quota_aliases=False)
    assert job.read(document, not_copied).quota_label == "", "its pods do not get our label"
    template["metadata"]["labels"][names.QUOTA_NAME] = "team-b"
    assert job.read(document, JOB).quota_label == "team-b"


def test_one_template_of_pods_that_are_not_preemptible_keeps_the_whole_job() -> None:
    document = published_jobs.of("TFJob")
    worker = document["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    worker["metadata"] = {"labels": {names.PREEMPTIBLE: "false"}}
    assert not job.read(document, ADAPTERS["TFJob"]).preemptible


def test_overhead_and_sizes_of_whole_pods_count_as_of_pods() -> None:
    document = published_jobs.of("Job")
    spec = document["spec"]["template"]["spec"]
    spec |= {"overhead": {"cpu": "100m"}, "resources": {"requests": {"cpu": "2"}}}
    request = job.read(document, JOB).pods[0].request
    assert request == {"cpu": 2100, "memory": 128 << 20, "pods": 1}


def test_templates_of_two_quotas_are_reported_because_a_job_is_admitted_by_one() -> None:
    document = published_jobs.of("TFJob")
    specs = document["spec"]["tfReplicaSpecs"]
    specs["PS"]["template"]["metadata"] = {"labels": {names.QUOTA_NAME: "a"}}
    specs["Worker"]["template"]["metadata"] = {"labels": {names.QUOTA_NAME: "b"}}
    found = job.read(document, ADAPTERS["TFJob"])
    assert found.quota_label == "a"
    assert tuple(map(str, found.faults)) == (
        "spec.tfReplicaSpecs.Worker.template.metadata.labels"
        "[quota.scheduling.koordinator.sh/name]: must be 'a' as of its other pods, got 'b'",
    )


def test_reading_leaves_the_object_alone() -> None:
    for document in published_jobs.ALL:
        before = copy.deepcopy(document)
        job.read(document, ADAPTERS[document["kind"]])
        assert document == before


def test_sizes_that_stand_without_a_template_are_reported_where_they_stand() -> None:
    document = published_jobs.of("TrainJob")
    document["spec"]["trainer"]["resourcesPerNode"] = {"limits": {"cpu": "much"}}
    assert tuple(map(str, job.read(document, ADAPTERS["TrainJob"]).faults)) == (
        "spec.trainer.resourcesPerNode.requests.cpu: 'much' is not a quantity; "
        "write a number with an optional suffix like 500m, 2, 1.5, 64k or 16Gi",
    )

"""The configuration file adds job kinds, and a row that makes no sense is refused."""

from typing import Any

import pytest

import published_jobs
from elasticquota.jobs import job
from elasticquota.jobs.adapter import JobAdapter, PodPaths, Sign
from elasticquota.jobs.kinds import table
from elasticquota_config import model
from elasticquota_config.fields import section
from elasticquota_config.model import Configuration, ConfigurationError


SOLVER = """
dialects: {jobs: true}
jobs:
  adapters:
  - group: example.com
    versions: [v1, v1beta1]
    kind: Solver
    plural: solvers
    suspend: spec.control.paused
    pods:
    - {name: master, template: spec.master}
    - template: spec.helpers.*.pod
      count: spec.helpers.*.count
      missing: null
      times: spec.rounds
      least: spec.helpers.*.least
      elastic: spec.grows
    - template: spec.watcher
      name: watcher
      unless: {path: spec.mode, values: [alone]}
      otherwise: {cpu: 100m, memory: 64Mi}
    labels: {example.com/solver: metadata.name}
    priorityClasses: [spec.class]
    running: [{path: status.active}]
    succeeded: [{path: status.conditions, values: [Solved]}]
    failed: [{path: status.phase, values: [Broken, Lost]}]
    reclaim: pods
"""

ADAPTER = JobAdapter(
    group="example.com",
    versions=("v1", "v1beta1"),
    kind="Solver",
    plural="solvers",
    suspend="spec.control.paused",
    pods=(
        PodPaths("spec.master", name="master"),
        PodPaths(
            "spec.helpers.*.pod",
            count="spec.helpers.*.count",
            missing=None,
            times="spec.rounds",
            least="spec.helpers.*.least",
            elastic="spec.grows",
        ),
        PodPaths(
            "spec.watcher",
            name="watcher",
            unless=Sign("spec.mode", ("alone",)),
            otherwise={"cpu": 100, "memory": 64 << 20},
        ),
    ),
    labels={"example.com/solver": "metadata.name"},
    priority_classes=("spec.class",),
    running=(Sign("status.active"),),
    succeeded=(Sign("status.conditions", ("Solved",)),),
    failed=(Sign("status.phase", ("Broken", "Lost")),),
    reclaim="pods",
)


def _of(found: Configuration, kind: str) -> JobAdapter:
    (adapter,) = (each for each in found.adapters() if each.kind == kind)
    return adapter


def test_a_row_is_an_adapter() -> None:
    assert _of(model.parse(SOLVER), "Solver") == ADAPTER


def test_built_in_job_kinds_need_no_row() -> None:
    assert model.parse("dialects: {jobs: true}").adapters() == table.table()
    assert len(model.parse(SOLVER).adapters()) == len(table.BUILT_IN) + 1


def test_without_job_queueing_no_jobs_are_read() -> None:
    assert Configuration().adapters() == ()


def test_a_job_of_an_added_kind_is_read_by_its_row() -> None:
    pod = {"spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "1"}}}]}}
    document: dict[str, Any] = {
        "metadata": {"name": "a", "namespace": "b"},
        "spec": {
            "control": {"paused": True},
            "grows": True,
            "rounds": 2,
            "master": pod,
            "helpers": {"left": {"pod": pod, "count": 3, "least": 1}},
        },
        "status": {"conditions": [{"type": "Solved", "status": "True"}]},
    }
    found = job.read(document, _of(model.parse(SOLVER), "Solver"))
    assert (found.faults, found.suspended, found.state) == ((), True, "Succeeded")
    assert [(each.name, each.count, each.least) for each in found.pods] == [
        ("master", 1, 1),
        ("left", 6, 2),
        ("watcher", 1, 1),
    ]
    assert found.request == {"cpu": 7100, "memory": 64 << 20, "pods": 8}
    assert found.labels == (("example.com/solver", "a"),)


def test_a_row_replaces_the_built_in_one_of_its_group_and_kind() -> None:
    found = model.parse(
        "{dialects: {jobs: true}, jobs: {adapters: [{group: kubeflow.org, versions: [v1], "
        "kind: TFJob, plural: tfjobs, "
        "pods: [{template: spec.tfReplicaSpecs.*.template, "
        "count: spec.tfReplicaSpecs.*.replicas}]}]}}"
    )
    adapter = _of(found, "TFJob")
    assert adapter.suspend == "", "an old operator, which knows the annotation only"
    assert job.read(published_jobs.of("TFJob"), adapter).request == {"cpu": 10_000, "pods": 6}
    assert len(found.adapters()) == len(table.BUILT_IN)


def test_a_status_may_have_the_entries_elsewhere() -> None:
    found = model.parse(
        "{dialects: {jobs: true}, jobs: {adapters: [{group: kubeflow.org, versions: [v1], "
        "kind: TFJob, plural: tfjobs, pods: [{template: spec.tfReplicaSpecs.*.template, "
        "times: spec.tfReplicaSpecs.*.replicas, ended: status.replicaStatuses.*.succeeded}]}]}}"
    )
    document = published_jobs.of("TFJob")
    document["status"] = {"replicaStatuses": {"Worker": {"succeeded": 3}}}
    assert job.read(document, _of(found, "TFJob")).request == {"cpu": 4_000, "pods": 3}


def test_a_written_configuration_reads_back() -> None:
    read = model.parse(SOLVER)
    assert model.read(section.plain(read)) == read


HEAD = "jobs: {adapters: [{group: example.com, versions: [v1], kind: Solver, plural: solvers, "
PODS = f"{HEAD}pods: [{{template: spec.a.*.pod, "
AT = "jobs.adapters.0"
NO_PATH = (
    "must be the names of fields joined by dots, such as spec.template, "
    "with * for every entry of a map or list, got"
)
FAULTS = [
    (
        f"{HEAD}suspendd: spec.suspend, stated: true}}]}}",
        f"{AT}.suspendd: unknown key, did you mean suspend?",
    ),
    (
        f"{PODS}unless: {{path: spec.a, value: [x]}}}}]}}]}}",
        f"{AT}.pods.0.unless.value: unknown key, did you mean values?",
    ),
    (
        f"{HEAD}suspend: 'spec suspend', stated: true}}]}}",
        f"{AT}.suspend: {NO_PATH} 'spec suspend'",
    ),
    (
        f"{HEAD}suspend: spec.*.suspend, stated: true}}]}}",
        f"{AT}.suspend: must lead to one field, without *, got 'spec.*.suspend'",
    ),
    (f"{HEAD}pods: [{{template: .spec}}]}}]}}", f"{AT}.pods.0.template: {NO_PATH} '.spec'"),
    (
        f"{HEAD}pods: [{{template: spec.*.*.pod}}]}}]}}",
        f"{AT}.pods.0: template must have one * at most, got 'spec.*.*.pod'",
    ),
    (
        f"{PODS}count: spec.b.*.n}}]}}]}}",
        f"{AT}.pods.0: count must lead through the same entries as template, got 'spec.b.*.n'",
    ),
    (
        f"{PODS}otherwise: {{cpu: much}}}}]}}]}}",
        f"{AT}.pods.0.otherwise: cpu: 'much' is not a quantity; "
        "write a number with an optional suffix like 500m, 2, 1.5, 64k or 16Gi",
    ),
    (f"{PODS}missing: -1}}]}}]}}", f"{AT}.pods.0.missing: must be at least 0, got -1"),
    (f"{HEAD}labels: {{a: spec.}}, stated: true}}]}}", f"{AT}.labels.a: {NO_PATH} 'spec.'"),
    (
        f"{HEAD}reclaim: never, stated: true}}]}}",
        f"{AT}.reclaim: must be one of 'suspend' or 'pods', got 'never'",
    ),
    (f"{HEAD}}}]}}", f"{AT}: must have pods, or stated: true for jobs whose annotation says it"),
    (
        "jobs: {adapters: [{group: a.b, versions: [], kind: A, plural: as, stated: true}]}",
        f"{AT}.versions: must be a list that is not empty, got []",
    ),
    (
        "jobs: {adapters: [{versions: [v1], kind: A, plural: as, stated: true}]}",
        f"{AT}.group: must be given",
    ),
]


@pytest.mark.parametrize(("text", "fault"), FAULTS)
def test_a_senseless_row_is_refused_in_one_line(text: str, fault: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        model.parse(text)
    assert str(refused.value) == fault


def test_labels_of_ack_in_templates_count_only_where_the_webhook_copies_them_to_pods() -> None:
    def counted(mode: str) -> set[bool]:
        text = f"podAdmission: {mode}\ndialects: {{jobs: true}}\n"
        return {each.quota_aliases for each in model.parse(text).adapters()}

    assert (counted("webhook"), counted("policy")) == ({True}, {False})

"""docs/job-queues.md tells of the table as it is, and what it shows can be used."""

import re
from pathlib import Path

import published_jobs
from elasticquota.jobs import adapter, job
from elasticquota.jobs.kinds import table
from elasticquota_config import model as elasticquota_config_model
from elasticquota_config.fields import section
from elasticquota_config.sections import jobs


PAGE = (Path(__file__).parents[2] / "docs" / "job-queues.md").read_text(encoding="utf-8")
BUILT_IN = PAGE[PAGE.index("## Built in") : PAGE.index("## What a running job needs less")]
OWN = PAGE[PAGE.index("## A kind of your own") : PAGE.index("## What cannot be read")]


def _row(kind: str) -> str:
    (found,) = (
        line for line in BUILT_IN.splitlines() if line.startswith("|") and f"`{kind}`" in line
    )
    return found


def test_every_built_in_kind_has_its_row_with_its_versions_switch_and_labels() -> None:
    for each in table.BUILT_IN:
        row = _row(each.kind)
        assert all(version in row for version in each.versions), each.kind
        assert f"`{each.suspend}`" in row
        assert all(f"`{label}`" in row for label in each.labels), each.kind
        assert each.group in row


def test_who_is_reclaimed_pod_by_pod_is_named() -> None:
    for each in table.BUILT_IN:
        assert (f"A {each.kind} keeps its pods" in BUILT_IN) == (each.reclaim == "pods")


def test_the_example_is_a_configuration_whose_jobs_can_be_read() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", OWN, re.DOTALL)
    (row,) = elasticquota_config_model.parse(text).jobs.rows()
    pod = {"spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "1"}}}]}}
    document = {
        "spec": {
            "suspend": True,
            "master": {"template": pod},
            "helpers": [{"template": pod, "replicas": 2}],
        },
        "status": {"active": 1},
    }
    found = job.read(document, row)
    assert (found.faults, found.suspended, found.state) == ((), True, "Running")
    assert found.request == {"cpu": 3000, "pods": 3}


def test_every_key_of_a_row_is_reported() -> None:
    keys = {
        key
        for kind in (jobs.JobAdapterSection, jobs.PodPathsSection, jobs.SignSection)
        for key in section.keys(kind)
    }
    told = set(re.findall(r"`([a-zA-Z]+)", OWN)) | set(re.findall(r"\b([a-zA-Z]+):", OWN))
    assert keys - told == set()


def test_the_defaults_are_reported_as_they_are() -> None:
    assert adapter.PodPaths("spec.template").missing == 1
    assert "| `missing` | 1 |" in OWN


def test_the_faults_that_are_shown_are_reported_like_that() -> None:
    (block,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    adapters = {each.kind: each for each in table.BUILT_IN}
    training, ray = published_jobs.of("TFJob"), published_jobs.of("RayJob")
    training["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] = -1
    del ray["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["template"]
    said = [
        *job.read(training, adapters["TFJob"]).faults,
        *job.read(ray, adapters["RayJob"]).faults,
    ]
    assert block.splitlines() == [*map(str, said)]

"""A Spark application asks for cores, memory and overhead as Spark reckons them."""

from typing import Any

import pytest

import published_jobs
from elasticquota import names, resources
from elasticquota.jobs import job
from elasticquota.jobs.kinds import table


(SPARK,) = (each for each in table.BUILT_IN if each.kind == "SparkApplication")


def _application(**changes: Any) -> dict[str, Any]:
    document = published_jobs.of("SparkApplication")
    document["spec"] |= changes
    return document


# what the application says, what the driver asks for, what an executor asks for
LEAST = "cpu 1, memory 1408Mi"
SIZES: list[tuple[dict[str, Any], str, str]] = [
    # nothing: one core, 1g and the least overhead
    ({"driver": {}, "executor": {}}, LEAST, LEAST),
    # a tenth, more than the least
    (
        {"driver": {"memory": "8g"}, "executor": {"memory": "10g", "cores": 4}},
        "cpu 1, memory 9011Mi",
        "cpu 4, memory 11Gi",
    ),
    # four tenths for Python
    (
        {"type": "Python", "driver": {"memory": "4g"}, "executor": {"memory": "1000"}},
        "cpu 1, memory 5734Mi",
        "cpu 1, memory 1400Mi",
    ),
    # a factor, and an overhead that is given
    (
        {
            "memoryOverheadFactor": "0.5",
            "driver": {"memory": "2g"},
            "executor": {"memory": "2g", "memoryOverhead": "1g"},
        },
        "cpu 1, memory 3Gi",
        "cpu 1, memory 3Gi",
    ),
    # coreRequest comes before cores, and a GPU
    (
        {
            "driver": {"cores": 4, "coreRequest": "250m"},
            "executor": {"cores": 2, "gpu": {"name": "nvidia.com/gpu", "quantity": 1}},
        },
        "cpu 250m, memory 1408Mi",
        "cpu 2, memory 1408Mi, nvidia.com/gpu 1",
    ),
    # Python's own memory, and memory off the heap, of executors
    (
        {
            "type": "Python",
            "sparkConf": {
                "spark.executor.pyspark.memory": "512",
                "spark.memory.offHeap.enabled": "true",
                "spark.memory.offHeap.size": "1073741824",
            },
            "driver": {"memoryOverhead": "0"},
            "executor": {"memoryOverhead": "0"},
        },
        "cpu 1, memory 1Gi",
        "cpu 1, memory 2560Mi",
    ),
    # what only sparkConf says
    (
        {
            "driver": {},
            "executor": {"cores": 2},
            "sparkConf": {
                "spark.driver.cores": "3",
                "spark.driver.memory": "2g",
                "spark.driver.memoryOverhead": "512m",
                "spark.executor.memory": "4096",
                "spark.kubernetes.executor.request.cores": "1500m",
            },
        },
        "cpu 3, memory 2560Mi",
        "cpu 1500m, memory 4505Mi",
    ),
    # a field comes before sparkConf
    (
        {
            "driver": {"cores": 2, "memory": "1g"},
            "executor": {},
            "sparkConf": {"spark.driver.cores": "9", "spark.driver.memory": "9g"},
        },
        "cpu 2, memory 1408Mi",
        LEAST,
    ),
    # a sidecar, and an init container that is larger than both
    (
        {
            "driver": {"sidecars": [{"name": "s", "resources": {"requests": {"cpu": "100m"}}}]},
            "executor": {"initContainers": [{"name": "i", "resources": {"requests": {"cpu": 3}}}]},
        },
        "cpu 1100m, memory 1408Mi",
        "cpu 3, memory 1408Mi",
    ),
]


@pytest.mark.parametrize(("said", "driver", "executor"), SIZES)
def test_pods_ask_for_what_spark_makes_of_it(
    said: dict[str, Any], driver: str, executor: str
) -> None:
    found = job.read(_application(**said), SPARK)
    assert found.faults == ()
    sizes = [
        ", ".join(f"{k} {v}" for k, v in resources.text(each.request).items() if k != "pods")
        for each in found.pods
    ]
    assert sizes == [driver, executor]


_ON = "spark.dynamicAllocation.enabled"
_FIRST = "spark.dynamicAllocation.initialExecutors"
_LEAST = "spark.dynamicAllocation.minExecutors"
_NUMBER = "spark.executor.instances"
# instances, dynamic allocation, sparkConf, executors, least
EXECUTORS: list[tuple[int | None, dict[str, Any], dict[str, str], int, int]] = [
    (None, {}, {}, 2, 2),
    (5, {}, {}, 5, 5),
    (5, {"enabled": False, "initialExecutors": 9}, {}, 5, 5),
    (None, {"enabled": True}, {}, 0, 0),
    (None, {"enabled": True, "initialExecutors": 3, "minExecutors": 1}, {}, 3, 1),
    (None, {"enabled": True, "minExecutors": 2}, {}, 2, 2),
    (7, {"enabled": True, "initialExecutors": 3, "minExecutors": 1}, {}, 7, 1),
    # what only sparkConf says
    (None, {}, {_NUMBER: "5"}, 5, 5),
    (3, {}, {_NUMBER: "5"}, 3, 3),
    (None, {}, {_ON: "true", _FIRST: "4", _LEAST: "1"}, 4, 1),
    (None, {}, {_ON: "false", _FIRST: "4", _NUMBER: "6"}, 6, 6),
    (None, {"enabled": True, "minExecutors": 2}, {_FIRST: "4", _LEAST: "1"}, 4, 2),
]


@pytest.mark.parametrize(("instances", "dynamic", "conf", "count", "least"), EXECUTORS)
def test_it_begins_with_as_many_executors_as_spark_does(
    instances: int | None, dynamic: dict[str, Any], conf: dict[str, str], count: int, least: int
) -> None:
    said = {"executor": {"instances": instances}, "dynamicAllocation": dynamic}
    found = job.read(_application(**said, sparkConf=conf), SPARK)
    assert (found.faults, found.pods[1].count, found.pods[1].least) == ((), count, least)


SIZE = "must be a size such as 512m or 4g, got"
PODS = "must be a number of pods"
SIDECAR = {"resources": {"requests": {"cpu": "x"}}}
FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"driver": {"memory": "much"}}, f"driver.memory: {SIZE} 'much'"),
    ({"driver": {"memory": 512}}, f"driver.memory: {SIZE} 512"),
    ({"driver": {"cores": -1}}, "driver.cores: must not be negative, got -1"),
    (
        {"executor": {"instances": -1}},
        f"executor.instances: {PODS} from 0 to 2147483647, got -1",
    ),
    (
        {"executor": {}, "sparkConf": {_NUMBER: "many"}},
        f"sparkConf[{_NUMBER}]: {PODS} such as '2', got 'many'",
    ),
    (
        {"executor": {}, "sparkConf": {"spark.executor.memory": "much"}},
        f"sparkConf[spark.executor.memory]: {SIZE} 'much'",
    ),
    (
        {"memoryOverheadFactor": "lots"},
        "memoryOverheadFactor: must be a text such as '0.1', got 'lots'",
    ),
    (
        {"driver": {"sidecars": [SIDECAR]}},
        "driver.sidecars[0].resources.requests.cpu: 'x' is not a quantity; "
        "write a number with an optional suffix like 500m, 2, 1.5, 64k or 16Gi",
    ),
    ({"driver": {"labels": 3}}, "driver.labels: must be a map, got a whole number"),
    ({"driver": []}, "driver: must be a map, got a list"),
]


@pytest.mark.parametrize(("said", "fault"), FAULTS)
def test_what_spark_could_not_read_is_reported(said: dict[str, Any], fault: str) -> None:
    assert tuple(map(str, job.read(_application(**said), SPARK).faults)) == (f"spec.{fault}",)


def test_labels_and_classes_of_its_pods_count_as_of_a_template() -> None:
    driver = {"labels": {names.QUOTA_NAME: "team-a"}, "priorityClassName": "high"}
    found = job.read(_application(driver=driver), SPARK)
    assert (found.quota_label, found.priority_class) == ("team-a", "high")

"""The examples in Python: their quotas, and what the handler says."""

import importlib.util
import logging
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


EXAMPLES = Path(__file__).parents[3] / "examples" / "python"


def load(name: str) -> ModuleType:
    """The example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_line_of_the_file_is_a_quota() -> None:
    with (EXAMPLES / "teams.csv").open(encoding="utf-8", newline="") as file:
        speech, vision = (each.manifest() for each in load("apply_teams").quotas(file))
    assert vision["metadata"]["name"] == "vision"
    assert speech == {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": "speech", "namespace": "speech"},
        "spec": {
            "parent": "research",
            "min": {"cpu": "8", "memory": "32Gi"},
            "max": {"cpu": "24", "memory": "96Gi"},
        },
    }


def test_a_wrong_amount_is_reported_with_its_line_and_field() -> None:
    text = (EXAMPLES / "teams.csv").read_text(encoding="utf-8").replace(",32Gi,", ",32 GB,")
    with pytest.raises(ValueError, match=r"line 2(.|\n)*min\.memory"):
        list(load("apply_teams").quotas(text.splitlines()))


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (None, []),
        ({"pods": {"gated": 0}}, []),
        ({"pods": {"gated": 2}}, ["waiting pods: 2; the next one: unknown"]),
        (
            {"pods": {"gated": 2}, "waitEstimate": {"expected": "10 to 40 min"}},
            ["waiting pods: 2; the next one: 10 to 40 min"],
        ),
    ],
)
def test_the_handler_says_who_waits(
    status: Any, said: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    body = {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": "a", "namespace": "b", "uid": "u"},
        "status": status,
    }
    caplog.set_level(logging.INFO)
    load("who_waits").say_who_waits(body=body, logger=logging.getLogger("example"))
    assert [each.getMessage() for each in caplog.records] == said

"""Y27: the rules that derive YuniKorn's gauges from ours use only series that exist."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

import writer_fixture
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota_operator.pages.metrics import Telemetry


FILE = Path(__file__).parents[4] / "examples" / "yunikorn" / "recording-rules.yaml"

GROUPS = yaml.safe_load(FILE.read_text(encoding="utf-8"))["groups"]
RULES: list[dict[str, Any]] = [rule for group in GROUPS for rule in group["rules"]]

SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)\s*(?:!?=~?)\s*"([^"]*)"')
REPLACED = re.compile(r'"(\w+)", "\$1", "(\w+)", "\(\.\*\)"')
OPERATORS = {"sum", "by", "label_replace", "ignoring", "or"}


def catalogue() -> dict[str, list[dict[str, str]]]:
    """The labels, by name, of every series that a controller with one quota exposes."""
    amounts = {"cpu": 1500, "memory": 2048}
    fields = ("min", "max", "request", "used", "admitted", "runtime")
    status = writer_fixture.status(Key("team", "a"), **dict.fromkeys(fields, amounts))
    telemetry = Telemetry(lambda: True)
    telemetry.decided(Decisions(statuses=(status,)), 0.01)
    families = text_string_to_metric_families(telemetry.exposition().decode())
    found: dict[str, list[dict[str, str]]] = {}
    for sample in (sample for family in families for sample in family.samples):
        found.setdefault(sample.name, []).append(sample.labels)
    return found


def name(rule: dict[str, Any]) -> str:
    return "-".join(rule["labels"].values())


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_every_series_and_label_of_an_expression_is_exposed(rule: dict[str, Any]) -> None:
    exposed = catalogue()
    selectors = SELECTOR.findall(rule["expr"])
    assert selectors
    for metric, matchers in selectors:
        series = exposed[metric]
        for label, value in MATCHER.findall(matchers):
            assert value in {labels[label] for labels in series}, (metric, label, value)
    ((made, source),) = set(REPLACED.findall(rule["expr"]))
    assert made == "queue"
    assert source in exposed["elasticquota_quota"][0]
    rest = SELECTOR.sub("", REPLACED.sub("", rule["expr"]))
    words = set(re.findall(r"[a-z_]+", re.sub(r"\b[0-9]\S*", "", rest)))
    assert words <= OPERATORS | {"queue", *exposed["elasticquota_quota"][0]}


def test_cpu_and_other_resources_have_every_state_under_one_name() -> None:
    assert {rule["record"] for rule in RULES} == {"yunikorn_queue_resource"}
    states = ("guaranteed", "max", "allocated", "pending")
    found = {(rule["labels"]["state"], rule["labels"].get("resource")) for rule in RULES}
    assert found == {(state, resource) for state in states for resource in ("vcore", None)}
    assert len(RULES) == len(found)


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_cpu_is_reported_in_millicores_apart_from_other_resources(rule: dict[str, Any]) -> None:
    of_cpu = rule["labels"].get("resource") == "vcore"
    assert rule["expr"].startswith(
        "1000 * sum by (queue) (" if of_cpu else "sum by (queue, resource)"
    )
    wanted = 'resource="cpu"' if of_cpu else 'resource!="cpu"'
    assert all(wanted in matchers for _, matchers in SELECTOR.findall(rule["expr"]))

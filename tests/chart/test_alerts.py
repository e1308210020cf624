"""Each alert of the chart fires when it should and not before, by ``promtool test rules``."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import page_blocks
from local_cluster import build


Render = Callable[..., dict[tuple[str, str], dict[str, Any]]]

TESTS = Path(__file__).parent / "alerts.yaml"
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="session")
def promtool() -> Path:
    return build.ensure(["promtool"], print, build.PROMETHEUS)["promtool"]


def _run(promtool: Path, folder: Path, rules: str) -> "subprocess.CompletedProcess[str]":
    (folder / "elastic-quota.yaml").write_text(rules)
    shutil.copy(TESTS, folder)
    command = [str(promtool), "test", "rules", TESTS.name]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def rules(chart: Path) -> str:
    return (chart / "files/alerts/elastic-quota.yaml").read_text(encoding="utf-8")


def test_every_alert_has_a_test_in_which_it_is_quiet_and_one_in_which_it_fires(rules: str) -> None:
    tests = yaml.safe_load(TESTS.read_text(encoding="utf-8"))["tests"]
    checked: dict[str, set[bool]] = {}
    for each in (row for test in tests for row in test["alert_rule_test"]):
        checked.setdefault(each["alertname"], set()).add(bool(each.get("exp_alerts")))
    names = [rule["alert"] for group in yaml.safe_load(rules)["groups"] for rule in group["rules"]]
    assert checked == {name: {True, False} for name in names}


def test_alerts_fire_when_they_should_and_not_before(
    promtool: Path, tmp_path: Path, rules: str
) -> None:
    done = _run(promtool, tmp_path, rules)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_alert_that_fires_at_once_fails_its_test(
    promtool: Path, tmp_path: Path, rules: str
) -> None:
    changed = rules.replace("for: 15m", "for: 0m", 1)
    assert changed != rules
    done = _run(promtool, tmp_path, changed)
    assert done.returncode != 0
    assert "ElasticQuotaGuaranteeNotBacked" in done.stdout + done.stderr


def test_a_cluster_test_makes_each_alert_fire_in_a_real_prometheus(rules: str) -> None:
    tests = [ROOT / "tests/e2e/test_prometheus.py", ROOT / "tests/e2e/test_alerts.py"]
    named = set(
        re.findall(r'"(ElasticQuota[A-Z]\w+)"', "".join(path.read_text() for path in tests))
    )
    assert named == {
        rule["alert"] for group in yaml.safe_load(rules)["groups"] for rule in group["rules"]
    }


def test_the_links_of_alerts_lead_to_the_copy_of_the_runbooks(render: Render) -> None:
    values = {"enabled": True, "runbookUrl": "https://docs.example/runbooks"}
    rule = render(f"metrics.prometheusRule={json.dumps(values)}")["PrometheusRule", "elastic-quota"]
    links = {
        each["alert"]: each["annotations"]["runbook_url"]
        for group in rule["spec"]["groups"]
        for each in group["rules"]
    }
    assert len(links) == 15
    assert links == {
        name: f"https://docs.example/runbooks/README.md#{name.lower()}" for name in links
    }


def test_every_expression_of_runbooks_and_service_levels_is_one_that_prometheus_reads(
    promtool: Path, tmp_path: Path
) -> None:
    pages = [*sorted(DOCS.glob("runbooks/*.md")), DOCS / "slo.md"]
    expressions = [
        expression
        for page in pages
        for block in page_blocks.of(page.read_text(encoding="utf-8"), "promql")
        for expression in page_blocks.statements(block.text)
    ]
    assert len(expressions) > 15
    rules = [
        {"record": f"page:expression:{number}", "expr": expression}
        for number, expression in enumerate(expressions)
    ]
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "pages", "rules": rules}]}))
    done = subprocess.run(
        [promtool, "check", "rules", path], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(expressions)} rules found" in done.stdout

"""Objects that runbooks and how-to guides name are those that the chart makes by its defaults."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import page_blocks


Objects = dict[tuple[str, str], dict[str, Any]]
Render = Callable[..., Objects]

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [*sorted(DOCS.glob("runbooks/*.md")), *sorted(DOCS.glob("how-to/*.md"))]
NAMED = re.compile(r"(?<![\w/.-])(?:(\w+)[/ ](?:-n [\w-]+ )?)(elastic-quota-[a-z-]+)(?![\w.:/-])")
SELECTED = re.compile(r"-l (app\.kubernetes\.io/[\w-]+)=([\w-]+)")
NAMESPACE = "elastic-quota-system"
OF_OTHERS = {"elastic-quota-operator", NAMESPACE}
"""The chart, and the namespace of the release."""


@pytest.fixture(scope="module")
def pages() -> str:
    texts = [path.read_text(encoding="utf-8") for path in PAGES]
    return "\n".join(block.text for text in texts for block in page_blocks.of(text, "sh"))


def test_deployments_config_maps_and_accounts_have_the_names_of_the_pages(
    render: Render, pages: str
) -> None:
    rendered = {(kind.lower(), name) for kind, name in render()}
    config = yaml.safe_load(render()["ConfigMap", "elastic-quota-config"]["data"]["config.yaml"])
    there = {*rendered, ("lease", config["lease"]["name"])}
    found = {(kind, name) for kind, name in NAMED.findall(pages) if name not in OF_OTHERS}
    assert len(found) >= 2
    assert {pair for pair in found if pair[0] in {kind for kind, _ in there}} <= there
    assert {name for _, name in found} <= {name for _, name in there}


def test_selectors_of_the_pages_match_pods_or_deployments(render: Render, pages: str) -> None:
    deployments = [each for (kind, _), each in render().items() if kind == "Deployment"]
    labels = [each["metadata"]["labels"] for each in deployments]
    labels += [each["spec"]["template"]["metadata"]["labels"] for each in deployments]
    pairs = {pair for each in labels for pair in each.items()}
    found = set(SELECTED.findall(pages))
    assert len(found) >= 3
    assert found <= pairs

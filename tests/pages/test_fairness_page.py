"""docs/fairness.md: its pictures show what the product decides, its example does what it says."""

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
import yaml

from elasticquota import names
from elasticquota.decisions import decide
from elasticquota.ledger.ledger import Ledger
from elasticquota.wire.kubernetes import nodes, pods
from elasticquota.wire.quota import profiles, quotas


ROOT = pathlib.Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
STORED = sorted(path.name for path in PICTURES.glob("*.svg"))
STRUCTURE = ROOT / "docs" / "contributing" / "structure.md"
PAGES = [*sorted((ROOT / "docs").glob("*.md")), STRUCTURE, ROOT / "CONTRIBUTING.md"]
PAGE = (ROOT / "docs" / "fairness.md").read_text("utf-8")
SVG = "http://www.w3.org/2000/svg"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with all pictures as the script draws them now."""
    folder = tmp_path_factory.mktemp("pictures")
    path = {"PYTHONPATH": f"{ROOT}/operator:{ROOT}/tools", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, str(PICTURES / "draw.py"), str(folder)], env=path, check=True)
    return folder


@pytest.mark.parametrize("name", STORED)
def test_a_stored_picture_is_what_the_script_draws(drawn: pathlib.Path, name: str) -> None:
    again = (drawn / name).read_bytes()
    assert (PICTURES / name).read_bytes() == again, "run docs/pictures/draw.py"


def test_each_picture_is_shown_once_by_a_page(drawn: pathlib.Path) -> None:
    texts = "".join(page.read_text("utf-8") for page in PAGES)
    shown = re.findall(r"!\[[^\]]+\]\((?:docs/|\.\./)?pictures/(\S+\.svg)\)", texts)
    assert sorted(shown) == sorted(path.name for path in drawn.iterdir()) == STORED


@pytest.mark.parametrize("name", STORED)
def test_a_picture_stands_alone_and_says_what_it_shows(name: str) -> None:
    """Title and description for who cannot see it; nothing is fetched from anywhere."""
    root = ET.parse(PICTURES / name).getroot()
    assert root.findtext(f"{{{SVG}}}title")
    assert root.findtext(f"{{{SVG}}}desc")
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    text = (PICTURES / name).read_text("utf-8").replace(SVG, "")
    assert not re.search(r"https?:|url\(|href|@import", text)


def test_the_pictures_show_the_figures_that_the_page_speaks_of() -> None:
    level = words("water-level.svg")
    assert {"A: 5", "B: 20", "C: 35", "D: 40", "+ 15.4", "+ 24.6"} <= set(level)
    tree = words("tree.svg")
    assert (tree.count("borrows 20"), tree.count("lends 40"), tree.count("lends 20")) == (3, 1, 1)
    units = words("whole-units.svg", 'text-anchor="middle" class="big"')
    assert units == ["5", "5", "4", "5", "1", "1"]
    shares = words("shrinking.svg", 'text-anchor="start" class="strong"')
    assert shares[-4:] == ["66 units: 66 used", "40", "20", "6"]


def words(name: str, look: str = "") -> list[str]:
    """The labels of a picture, or those with these attributes, in the order of drawing."""
    text = (PICTURES / name).read_text("utf-8")
    return re.findall(rf"<text [^>]*{look}[^>]*>([^<]+)</text>", text)


@pytest.mark.parametrize(
    ("edits", "runtimes", "waiting"),
    [
        ({}, {"research": 12, "product": 4}, 2),
        ({"serving": 6}, {"research": 10, "product": 6}, 4),
    ],
)
def test_the_example_to_try_has_the_figures_that_the_page_says(
    edits: dict[str, int], runtimes: dict[str, int], waiting: int
) -> None:
    ledger = Ledger()
    for document in example():
        if document["kind"] != "Deployment":
            admit(ledger, document)
            continue
        replicas = edits.get(document["metadata"]["name"], document["spec"]["replicas"])
        for index in range(replicas):
            admit(ledger, pod(document, index))
    (root,) = decide.decide(ledger, 0).roots
    admit(
        ledger,
        {
            "kind": "ElasticQuota",
            "metadata": {
                "name": root.key.name,
                "namespace": root.key.namespace,
                "labels": dict(root.labels),
            },
            "spec": {"min": dict(root.min), "max": dict(root.max)},
        },
    )
    decisions = decide.decide(ledger, 0)
    found = {status.key.name: status.runtime["nvidia.com/gpu"] for status in decisions.statuses}
    assert {name: found[name] for name in runtimes} == runtimes
    assert len(decisions.waits) == waiting


def example() -> Iterator[dict[str, Any]]:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    yield from yaml.safe_load_all(text)


def pod(deployment: dict[str, Any], index: int) -> dict[str, Any]:
    """One gated pod of the Deployment, as the API server and the webhook would make it."""
    template = deployment["spec"]["template"]
    name = f"{deployment['metadata']['name']}-{index}"
    metadata = {**template["metadata"], "name": name, "namespace": "default", "uid": name}
    spec = {**template["spec"], "schedulingGates": [{"name": names.GATE}]}
    return {"kind": "Pod", "metadata": metadata, "spec": spec}


def admit(ledger: Ledger, document: dict[str, Any]) -> None:
    match document["kind"]:
        case "Node":
            ledger.upsert_node(nodes.read(msgspec.convert(document, nodes.NodeManifest)))
        case "ElasticQuotaProfile":
            manifest = msgspec.convert(document, profiles.ProfileManifest)
            ledger.upsert_profile(profiles.read(manifest))
        case "ElasticQuota":
            ledger.upsert_quota(quotas.read(msgspec.convert(document, quotas.QuotaManifest)))
        case "Pod":
            ledger.upsert_pod(pods.read(msgspec.convert(document, pods.PodManifest)))
        case kind:
            raise AssertionError(kind)

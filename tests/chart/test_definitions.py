"""The chart installs the definitions as they are written, and an uninstall keeps them."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

import definitions
from elasticquota import names


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

DEFINITIONS = {
    f"{names.QUOTA_PLURAL}.{names.QUOTA_GROUP}",
    f"{names.PROFILE_PLURAL}.{names.PROFILE_GROUP}",
}

RULES = "x-kubernetes-validations"


def test_what_is_rendered_is_what_is_carried(render: Render, chart: Path) -> None:
    rendered = {
        name: document
        for (kind, name), document in render().items()
        if kind == "CustomResourceDefinition"
    }
    carried = [yaml.safe_load(path.read_text()) for path in (chart / "files/crds").iterdir()]
    assert rendered.keys() == DEFINITIONS
    assert rendered == {document["metadata"]["name"]: document for document in carried}


def test_before_1_34_no_quantity_has_a_rule_and_no_rule_reads_one(
    template: Callable[..., "subprocess.CompletedProcess[str]"],
) -> None:
    carried, cheaper = _definitions(template, "1.34.0"), _definitions(template, "1.33.9")
    changed = set()
    schemas = _schemas(cheaper)
    for place, whole in _schemas(carried).items():
        found = schemas[place]
        if RULES not in whole:
            continue
        if "x-kubernetes-int-or-string" in whole:
            _assert_pattern_stands_in(found)
        else:
            rules = [each for each in whole[RULES] if "quantity(" not in each["rule"]]
            assert found.get(RULES, []) == rules
        if found != whole:
            changed.add(place)
            found.clear()
            found.update(whole)
    assert cheaper == carried, "and nothing else differs"
    assert {
        "elasticquotas.scheduling.sigs.k8s.io.spec.pools[].max{}",
        "elasticquotas.scheduling.sigs.k8s.io.spec.weight{}",
        "elasticquotas.scheduling.sigs.k8s.io.spec.tree.capacity",
        "elasticquotaprofiles.quota.koordinator.sh.spec.capacity",
        f"{names.CAPACITY_PLURAL}.{names.CAPACITY_GROUP}.spec",
    } <= changed


def _assert_pattern_stands_in(quantity: Document) -> None:
    assert RULES not in quantity
    assert quantity["minimum"] == 0
    for text in ("-1", "1e99999999", "abc", ""):
        assert not re.search(quantity["pattern"], text)
    for text in ("1", "+1", "500m", "1e24", ".5Gi"):
        assert re.search(quantity["pattern"], text)


def _definitions(
    template: Callable[..., "subprocess.CompletedProcess[str]"], version: str
) -> dict[str, Document]:
    """Return the schema of each definition that the chart has, by name."""
    dialects = [f"crds.dialects.{each}=true" for each in ("ack", "capacity", "jobs")]
    flags = ["--kube-version", version, "--show-only", "templates/crds.yaml"]
    return {
        found["metadata"]["name"]: found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        for found in yaml.safe_load_all(template(*dialects, flags=flags).stdout)
    }


def _schemas(found: dict[str, Document]) -> dict[str, Document]:
    """Return each schema in the definitions by its path."""
    return dict(part for name, schema in found.items() for part in _parts(schema, name))


def _parts(schema: Document, place: str) -> Iterator[tuple[str, Document]]:
    yield place, schema
    for name, part in schema.get("properties", {}).items():
        yield from _parts(part, f"{place}.{name}")
    if "items" in schema:
        yield from _parts(schema["items"], f"{place}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _parts(schema["additionalProperties"], f"{place}{{}}")


def test_definitions_can_be_left_to_others(render: Render) -> None:
    kinds = {kind for kind, _ in render("crds.install=false")}
    assert "CustomResourceDefinition" not in kinds


def test_an_uninstall_keeps_the_definitions(render: Render) -> None:
    for name in DEFINITIONS:
        metadata = render()["CustomResourceDefinition", name]["metadata"]
        assert metadata["annotations"]["helm.sh/resource-policy"] == "keep"


def test_the_definitions_serve_the_names_that_the_code_asks_for(render: Render) -> None:
    for group, kind, plural, version in (
        (names.QUOTA_GROUP, names.QUOTA_KIND, names.QUOTA_PLURAL, names.QUOTA_VERSION),
        (names.PROFILE_GROUP, names.PROFILE_KIND, names.PROFILE_PLURAL, names.PROFILE_VERSION),
    ):
        spec = render()["CustomResourceDefinition", f"{plural}.{group}"]["spec"]
        assert (spec["group"], spec["names"]["kind"]) == (group, kind)
        (served,) = spec["versions"]
        assert served["name"] == version
        assert served["subresources"] == {"status": {}}


def test_every_field_is_described_for_kubectl_explain(render: Render) -> None:
    for name in DEFINITIONS:
        (served,) = render()["CustomResourceDefinition", name]["spec"]["versions"]
        assert definitions.silent(served["schema"]["openAPIV3Schema"]) == []
        columns = served["additionalPrinterColumns"]
        assert [c["name"] for c in columns if "description" not in c] == ["Age"]

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


def test_what_is_rendered_is_what_is_carried(render: Render, chart: Path) -> None:
    rendered = {
        name: document
        for (kind, name), document in render().items()
        if kind == "CustomResourceDefinition"
    }
    carried = [yaml.safe_load(path.read_text()) for path in (chart / "files/crds").iterdir()]
    assert rendered.keys() == DEFINITIONS
    assert rendered == {document["metadata"]["name"]: document for document in carried}


def test_before_1_34_no_rule_compares_the_largest_node_with_all_nodes(
    template: Callable[..., "subprocess.CompletedProcess[str]"],
) -> None:
    def rules(version: str) -> Iterator[list[Document]]:
        flags = ["--kube-version", version, "--show-only", "templates/crds.yaml"]
        for definition in yaml.safe_load_all(template(flags=flags).stdout):
            (served,) = definition["spec"]["versions"]
            spec = served["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
            capacity = spec.get("tree", {"properties": spec})["properties"]["capacity"]
            yield capacity["x-kubernetes-validations"]

    for dear, cheaper in zip(rules("1.34.0"), rules("1.33.9"), strict=True):
        *kept, last = dear
        assert last["fieldPath"] == ".largestNode"
        assert cheaper == kept


def test_before_1_34_the_pattern_stands_in_for_rules_that_cost_too_much_there(
    template: Callable[..., "subprocess.CompletedProcess[str]"], chart: Path
) -> None:
    def quotas(version: str) -> Document:
        flags = ["--kube-version", version, "--show-only", "templates/crds.yaml"]
        found = yaml.safe_load_all(template(flags=flags).stdout)
        (wanted,) = (each for each in found if each["spec"]["names"]["kind"] == "ElasticQuota")
        return dict(wanted)

    carried: Document = yaml.safe_load((chart / "files/crds/elasticquotas.yaml").read_text())
    assert quotas("1.34.0") == carried
    cheaper = quotas("1.33.9")
    assert cheaper != carried
    (served,) = cheaper["spec"]["versions"]
    (whole,) = carried["spec"]["versions"]
    spec = served["schema"]["openAPIV3Schema"]["properties"]["spec"]
    dear = whole["schema"]["openAPIV3Schema"]["properties"]["spec"]
    for bound in ("min", "max"):
        quantity = spec["properties"][bound]["additionalProperties"]
        assert "x-kubernetes-validations" not in quantity
        assert quantity["minimum"] == 0
        for text in ("-1", "1e99999999", "abc", ""):
            assert not re.search(quantity["pattern"], text)
        for text in ("1", "+1", "500m", "1e24", ".5Gi"):
            assert re.search(quantity["pattern"], text)
        spec["properties"][bound]["additionalProperties"] = dear["properties"][bound][
            "additionalProperties"
        ]
    (first,) = spec["x-kubernetes-validations"]
    assert "not in max" in first["messageExpression"]
    spec["x-kubernetes-validations"] = dear["x-kubernetes-validations"]
    spec["properties"]["tree"] = dear["properties"]["tree"]
    assert cheaper == carried, "and nothing else differs"


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

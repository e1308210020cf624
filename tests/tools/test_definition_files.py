"""The definitions in ``crds/`` and in the chart are what the models say."""

from pathlib import Path

import yaml

from definition_files import definition, files
from elasticquota_api.model import Column, ServedKind


FOLDERS = ("crds", "crds/dialects", f"{files.CHART}/crds", f"{files.CHART}/dialects")


def test_the_files_are_those_that_would_be_written() -> None:
    there = {path for folder in FOLDERS for path in (files.ROOT / folder).glob("*.yaml")}
    found = {str(path.relative_to(files.ROOT)): path.read_text("utf-8") for path in there}
    assert found == files.written(), "run: make crds"


def test_the_chart_has_the_same_files() -> None:
    def texts(folder: Path) -> dict[str, str]:
        return {path.name: path.read_text("utf-8") for path in folder.glob("*.yaml")}

    assert texts(files.ROOT / "crds") == texts(files.ROOT / files.CHART / "crds")
    assert texts(files.ROOT / "crds/dialects") == texts(files.ROOT / files.CHART / "dialects")


def test_no_rule_is_folded_in_a_file() -> None:
    """A line break in a pattern would change it."""
    for text in files.written().values():
        for version in yaml.safe_load(text)["spec"]["versions"]:
            assert not any("\n" in rule for rule in _rules(version["schema"]))


def _rules(schema: object) -> list[str]:
    if isinstance(schema, list):
        return [rule for each in schema for rule in _rules(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema["rule"]] if isinstance(schema.get("rule"), str) else []
    return own + [rule for each in schema.values() for rule in _rules(each)]


def test_what_a_kind_does_not_have_is_left_out() -> None:
    column = Column("Age", "date", ".metadata.creationTimestamp")
    bare = definition.definition(
        "Kind", ServedKind("g", "v1", "kinds", (column,)), {"type": "object"}
    )
    assert bare["metadata"] == {
        "name": "kinds.g",
        "annotations": {"helm.sh/resource-policy": "keep"},
    }
    assert bare["spec"]["names"] == {
        "kind": "Kind",
        "listKind": "KindList",
        "plural": "kinds",
        "singular": "kind",
    }
    (version,) = bare["spec"]["versions"]
    assert version["additionalPrinterColumns"] == [
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
    ]


def test_names_and_columns_are_those_of_the_model() -> None:
    column = Column("A", "string", ".a", "What it is.", wide=True)
    served = ServedKind("g", "v1", "kinds", (column,), ("k",), ("all",), "approved")
    whole = definition.definition("Kind", served, {"type": "object"})
    assert whole["metadata"]["annotations"]["api-approved.kubernetes.io"] == "approved"
    assert whole["spec"]["names"]["shortNames"] == ["k"]
    assert whole["spec"]["names"]["categories"] == ["all"]
    (version,) = whole["spec"]["versions"]
    assert version["additionalPrinterColumns"] == [
        {
            "name": "A",
            "type": "string",
            "jsonPath": ".a",
            "description": "What it is.",
            "priority": 1,
        }
    ]

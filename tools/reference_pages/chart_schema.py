"""Descriptions and defaults in the schema of the chart's values, from ``values.yaml``.

The comments are where a value is explained. From them come the schema's ``description`` and
``default``, which editors show, and from the schema the tables of the README and of
the README of the chart.
"""

import json
from typing import Any, Final

import yaml

from reference_pages.sources import ROOT


FOLDER: Final = ROOT / "charts" / "elastic-quota-operator"
SCHEMA: Final = FOLDER / "values.schema.json"


def written(schema: str) -> str:
    """``schema``, a JSON document, with the descriptions and defaults written again."""
    text = (FOLDER / "values.yaml").read_text(encoding="utf-8")
    node = yaml.compose(text)
    if not isinstance(node, yaml.MappingNode):
        raise SystemExit("values.yaml: no mapping")
    document = json.loads(schema)
    document["properties"] = _described(document["properties"], node, text.splitlines())
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _described(properties: Any, node: yaml.MappingNode, lines: list[str]) -> dict[str, Any]:
    """The properties in the order of the values; those that are no values come first."""
    values = {key.value: (key, value) for key, value in node.value}
    described = {key: found for key, found in properties.items() if key not in values}
    for name, (key, value) in values.items():
        found = {
            what: it
            for what, it in properties.get(name, {}).items()
            if what not in {"description", "default"}
        }
        meaning = _comment(lines, key.start_mark.line)
        first: dict[str, Any] = {"description": meaning} if meaning else {}
        if isinstance(value, yaml.MappingNode) and not value.flow_style and "properties" in found:
            found["properties"] = _described(found["properties"], value, lines)
        else:
            first["default"] = yaml.safe_load(yaml.serialize(value))
        described[name] = first | found
    return described


def _comment(lines: list[str], at: int) -> str:
    """The comment right above line ``at``."""
    first = at
    while first and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return " ".join(line.lstrip().removeprefix("#").strip() for line in lines[first:at])

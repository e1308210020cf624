"""The page of the chart's values, from ``values.yaml`` and its schema."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from reference_pages.tables import code, prose, table


_CHART: Final = "charts/elastic-quota-operator"
_INTRO: Final = """# Values of the chart

Every value of [the chart](../../charts/elastic-quota-operator/README.md), its default and what it
may be. A key that does not exist is refused. [Configuration](../configuration.md) has the keys
below `config` as the processes read them.

"""


def page(root: Path) -> str:
    text = (root / _CHART / "values.yaml").read_text(encoding="utf-8")
    schema = json.loads((root / _CHART / "values.schema.json").read_text(encoding="utf-8"))
    node = yaml.compose(text)
    if not isinstance(node, yaml.MappingNode):
        raise SystemExit("values.yaml: no mapping")
    lines = text.splitlines()
    heads = ("value", "default", "may be", "meaning")
    return _INTRO + table(heads, _rows(node, lines, schema, schema.get("$defs", {}), ""))


def _rows(
    node: yaml.MappingNode, lines: list[str], schema: Any, defs: Mapping[str, Any], path: str
) -> Iterator[tuple[str, ...]]:
    """One for each value; keys that hold keys come first with their comment alone."""
    for key, value in node.value:
        where = f"{path}.{key.value}".lstrip(".")
        found = _resolved(schema.get("properties", {}).get(key.value, {}), defs)
        meaning = prose(_comment(lines, key.start_mark.line))
        if isinstance(value, yaml.MappingNode) and value.value and found.get("properties"):
            if meaning:
                yield code(where), "", "", meaning
            yield from _rows(value, lines, found, defs, where)
        else:
            default = json.dumps(yaml.safe_load(yaml.serialize(value)))
            yield code(where), code(default), _wanted(found, defs), meaning


def _comment(lines: list[str], at: int) -> str:
    """The comment right above line ``at``."""
    first = at
    while first and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return " ".join(line.lstrip().removeprefix("#").strip() for line in lines[first:at])


def _resolved(found: Any, defs: Mapping[str, Any]) -> Any:
    name = found.get("$ref", "").rpartition("/")[2]
    return {**defs[name], **found} if name else found


def _wanted(found: Any, defs: Mapping[str, Any]) -> str:
    found = _resolved(found, defs)
    if "enum" in found:
        return ", ".join(code(json.dumps(each)) for each in found["enum"])
    if "const" in found:
        return code(json.dumps(found["const"]))
    for key in ("anyOf", "oneOf"):
        if key in found:
            return " or ".join(_wanted(each, defs) for each in found[key])
    kind = found.get("type", "any")
    kinds = " or ".join(kind) if isinstance(kind, list) else str(kind)
    if kind == "array" and found.get("items"):
        return f"list of {_wanted(found['items'], defs)}"
    return kinds + _bounds(found)


def _bounds(found: Any) -> str:
    low, high = found.get("minimum"), found.get("maximum")
    if low is not None and high is not None:
        return f", {low} to {high}"
    if low is not None:
        return f", at least {low}"
    return "" if high is None else f", at most {high}"

"""The table of the chart's values in the chart's README, from its schema."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from reference_pages import chart_schema
from reference_pages.tables import MARK, code, inserted, prose, table


README: Final = chart_schema.FOLDER / "README.md"
_HEADS: Final = ("value", "default", "may be", "meaning")


def readme(text: str) -> str:
    """``text``, the chart's README, with its table written again."""
    schema = json.loads(chart_schema.written(chart_schema.SCHEMA.read_text(encoding="utf-8")))
    return inserted(text, MARK, table(_HEADS, _rows(schema, schema.get("$defs", {}), "")))


def _rows(schema: Any, defs: Mapping[str, Any], path: str) -> Iterator[tuple[str, ...]]:
    """One for each value; keys that hold keys come first with their description alone."""
    for key, found in schema["properties"].items():
        where = f"{path}.{key}".lstrip(".")
        meaning = prose(found.get("description", ""))
        if "default" in found:
            yield code(where), code(json.dumps(found["default"])), _wanted(found, defs), meaning
        else:
            if meaning:
                yield code(where), "", "", meaning
            yield from _rows(found, defs, where)


def _wanted(found: Any, defs: Mapping[str, Any]) -> str:
    name = found.get("$ref", "").rpartition("/")[2]
    found = {**defs[name], **found} if name else found
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

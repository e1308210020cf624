"""The page of the custom resources, from ``crds/``."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from reference_pages.tables import code, prose, table


_INTRO: Final = """# Custom resources

The two kinds that the chart always installs, from the definitions in [crds](../../crds). Those of
other systems come with their [dialect](../dialects.md): `kubectl explain` shows their fields, and
[crds/dialects](../../crds/dialects) has them.

"""
_LIMITS: Final = {
    "default": "default",
    "enum": "one of",
    "pattern": "pattern",
    "minimum": "at least",
    "maximum": "at most",
    "minLength": "min length",
    "maxLength": "max length",
    "maxItems": "max items",
    "maxProperties": "max entries",
}
_TOP: Final = frozenset({"apiVersion", "kind", "metadata"})

Schema = Mapping[str, Any]


def page(root: Path) -> str:
    files = sorted((root / "crds").glob("*.yaml"))
    found = (yaml.safe_load_all(file.read_text(encoding="utf-8")) for file in files)
    return _INTRO + "\n".join("".join(_kind(each["spec"])) for some in found for each in some)


def _kind(spec: Schema) -> Iterator[str]:
    names = spec["names"]
    for version in spec["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        yield f"## {names['kind']} ({spec['group']}/{version['name']})\n\n"
        if schema.get("description"):
            yield f"{prose(schema['description'])}\n\n"
        short = ", ".join(f"`{each}`" for each in names.get("shortNames", ()))
        yield f"Scope: {spec['scope']}. Plural: `{names['plural']}`."
        yield f" Short names: {short}.\n\n" if short else "\n\n"
        if columns := version.get("additionalPrinterColumns"):
            yield "Columns of `kubectl get`; those of priority 1 come with `-o wide`:\n\n"
            yield table(("column", "priority", "path", "meaning"), map(_column, columns))
        yield "Fields:\n\n"
        yield table(("field", "type", "limits", "meaning"), _fields(schema, ""))
        if rules := list(_rules(schema, "")):
            yield "Rules of the schema:\n\n"
            yield table(("of", "rule", "message"), rules)


def _column(found: Schema) -> tuple[str, ...]:
    priority = str(found.get("priority", 0))
    return found["name"], priority, code(found["jsonPath"]), prose(found.get("description", ""))


def _fields(schema: Schema, path: str) -> Iterator[tuple[str, ...]]:
    for name, found in schema.get("properties", {}).items():
        if not path and name in _TOP:
            continue
        where = f"{path}.{name}".lstrip(".")
        yield code(where), _type(found), _limits(found), prose(found.get("description", ""))
        inner, below = _inside(found, where)
        if not _repeats(below):
            yield from _fields(inner, below)


def _rules(schema: Schema, path: str) -> Iterator[tuple[str, ...]]:
    for rule in schema.get("x-kubernetes-validations", ()):
        said = rule.get("message") or rule.get("messageExpression", "")
        yield code(path or "the object"), code(" ".join(rule["rule"].split())), prose(said)
    for name, found in schema.get("properties", {}).items():
        inner, below = _inside(found, f"{path}.{name}".lstrip("."))
        if inner is not found:
            yield from _rules({**found, "properties": {}}, f"{path}.{name}".lstrip("."))
        if not _repeats(below):
            yield from _rules(inner, below)


def _inside(found: Schema, path: str) -> tuple[Schema, str]:
    """The schema of items or values, and how the path goes on."""
    if "items" in found:
        return found["items"], f"{path}[]"
    values = found.get("additionalProperties")
    if isinstance(values, dict):
        return values, f"{path}.*"
    return found, path


def _repeats(path: str) -> bool:
    """Whether a list lies in a list of its own name: a tree, of which one level is enough."""
    return any(path.split(".").count(part) > 1 for part in path.split("."))


def _type(found: Schema) -> str:
    inner, below = _inside(found, "")
    kind = str(found.get("type") or ("int or string" if _either(found) else "any"))
    if below == "[]":
        return f"list of {_type(inner)}"
    return f"map of {_type(inner)}" if below else kind


def _either(found: Schema) -> bool:
    return bool(found.get("x-kubernetes-int-or-string"))


def _limits(found: Schema) -> str:
    parts = []
    for key, said in _LIMITS.items():
        if key in found:
            value = found[key]
            text = ", ".join(map(str, value)) if key == "enum" else value
            shown = text if isinstance(text, str) else json.dumps(text)
            parts.append(f"{said} {code(shown)}")
    if required := found.get("required"):
        parts.append(f"required {code(', '.join(required))}")
    return "; ".join(parts)

"""The page of the custom resources, from ``crds/``."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import yaml

from reference_pages.sources import ROOT
from reference_pages.tables import code, prose, table


_INTRO: Final = """# Custom resources

The two kinds that the chart always installs, from the definitions in [crds](../../crds). Those of
other systems come with their [dialect](../dialects.md): `kubectl explain` shows their fields, and
[crds/dialects](../../crds/dialects) has them. A quantity is an integer or a string, such as `500m`
or `16Gi`. Left out are limits of the status, which the controller writes, and the fields of its
conditions, which are those of Kubernetes. A quota has a name of at most 63 characters, because pods
name it in a label.

"""
_AT_MOST: Final = ("maximum", "maxItems", "maxProperties")
_CODE: Final = re.compile(r"\[([A-Z]{2}\d{4})\]")
_RULES: Final = {"EQ": "../rules/quotas.md", "EP": "../rules/profiles.md"}
_AS_IN_KUBERNETES: Final = "status.conditions"
_SHORT: Final = 60
"""Characters: a text that is repeated."""
_NAMES_ONLY: Final = frozenset({"status.summary", "status.turnover"})
"""Objects of which the page has the names of the fields: texts, and figures for the estimate."""
_TOP: Final = frozenset({"apiVersion", "kind", "metadata"})

Schema = Mapping[str, Any]


class _Seen:
    """Schemas with fields that the page has listed: where, by what they hold."""

    def __init__(self) -> None:
        self.kind = ""
        self._places: dict[str, str] = {}
        self._texts: dict[tuple[str, str], str] = {}

    def text(self, found: Schema, path: str) -> str:
        """What a field means, or where a field of its name that means the same stands above."""
        said = str(found.get("description", ""))
        name = path.rpartition(".")[2]
        place = f"{code(path)} of {self.kind}"
        first = self._texts.setdefault((name, said), place)
        return said if first == place or len(said) < _SHORT else f"As {first}."

    def earlier(self, schema: Schema, path: str) -> str:
        """Where the same fields stand already; empty: nowhere, so here."""
        held = schema.get("properties")
        if not held:
            return ""
        place = f"{code(path)} of {self.kind}"
        first = self._places.setdefault(json.dumps(held), place)
        return "" if first == place else first


def page() -> str:
    files = sorted((ROOT / "crds").glob("*.yaml"))
    found = (yaml.safe_load_all(file.read_text(encoding="utf-8")) for file in files)
    seen = _Seen()
    parts = ("".join(_kind(each["spec"], seen)) for some in found for each in some)
    return (_INTRO + "".join(parts)).rstrip("\n") + "\n"


def _kind(spec: Schema, seen: _Seen) -> Iterator[str]:
    names = spec["names"]
    seen.kind = names["kind"]
    for version in spec["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        yield f"## {names['kind']} ({spec['group']}/{version['name']})\n\n"
        if schema.get("description"):
            yield f"{prose(schema['description'])}\n\n"
        short = ", ".join(f"`{each}`" for each in names.get("shortNames", ()))
        yield f"Scope: {spec['scope']}. Plural: `{names['plural']}`."
        yield f" Short names: {short}.\n\n" if short else "\n\n"
        yield from _columns(version.get("additionalPrinterColumns", ()))
        yield "Fields:\n\n"
        yield table(("field", "type and limits", "meaning"), _fields(schema, "", seen))
        if codes := sorted(set(_CODE.findall(json.dumps(schema)))):
            listed = ", ".join(f"[{each}]({_RULES[each[:2]]}#{each.lower()})" for each in codes)
            yield f"What else the schema refuses is with the rules: {listed}.\n\n"


def _columns(columns: Sequence[Schema]) -> Iterator[str]:
    for priority, said in ((0, "Columns of `kubectl get`"), (1, "more with `-o wide`")):
        shown = [each for each in columns if each.get("priority", 0) == priority]
        if shown:
            names = ", ".join(each["name"] for each in shown)
            yield f"{said}: {names}" + (";\n" if priority == 0 else ".\n\n")


def _fields(schema: Schema, path: str, seen: _Seen) -> Iterator[tuple[str, ...]]:
    for name, found in schema.get("properties", {}).items():
        if not path and name in _TOP:
            continue
        where = f"{path}.{name}".lstrip(".")
        inner, below = _inside(found, where)
        in_status = where.startswith("status.")
        limits = _limits({"enum": found.get("enum", ())} if in_status else found)
        earlier = "" if where == _AS_IN_KUBERNETES else seen.earlier(inner, where)
        said = seen.text(found, where)
        more = earlier and said != f"As {earlier}."
        meaning = [said, f"Fields as in {earlier}." if more else ""]
        if where in _NAMES_ONLY:
            meaning.append(f"Fields: {', '.join(map(code, found['properties']))}.")
        kind = f"{_type(found)}; {limits}" if limits else _type(found)
        yield code(where), kind, prose(" ".join(meaning))
        if earlier or where == _AS_IN_KUBERNETES or where in _NAMES_ONLY:
            continue
        yield from _fields(inner, below, seen)


def _inside(found: Schema, path: str) -> tuple[Schema, str]:
    """The schema of items or values, and how the path goes on."""
    if "items" in found:
        return found["items"], f"{path}[]"
    values = found.get("additionalProperties")
    if isinstance(values, dict):
        return values, f"{path}.*"
    return found, path


def _type(found: Schema) -> str:
    inner, below = _inside(found, "")
    untyped = "quantity" if found.get("x-kubernetes-int-or-string") else "any"
    kind = str(found.get("type", untyped))
    if below == "[]":
        return f"list of {_type(inner)}"
    return f"map of {_type(inner)}" if below else kind


def _limits(found: Schema) -> str:
    parts = []
    if "default" in found:
        parts.append(f"default {code(json.dumps(found['default']))}")
    if found.get("enum"):
        parts.append(", ".join(code(str(each)) for each in found["enum"]))
    if "pattern" in found:
        parts.append(code(found["pattern"]))
    if "minimum" in found:
        parts.append(f"≥ {found['minimum']}")
    parts += [f"≤ {found[key]}" for key in _AT_MOST if key in found]
    if "maxLength" in found:
        least = found.get("minLength", 0)
        parts.append(f"{f'{least} to' if least else '≤'} {found['maxLength']} characters")
    if required := found.get("required"):
        parts.append(f"required {code(', '.join(required))}")
    return "; ".join(parts)

"""Each rule of our schemas, at each place that has it: a value that it refuses and one it takes.

The models say which rules there are and where. A rule is a bound of the schema, such as
``maxLength 63``, or one in CEL, by its message. What a bound refuses follows from it; each pattern
and each rule in CEL has a row of ``TABLE``.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import good_manifests
import manifest_mutations
import reader_faults
from elasticquota.names import POOL_DOMAIN
from elasticquota_api.markers import RULES
from elasticquota_api.model import KubernetesObject
from good_manifests import Document, Path, Site


_SIZES: Final = ("minLength", "maxLength", "minItems", "maxItems", "maxProperties", "minimum")
_BOUNDS: Final = (*_SIZES, "maximum", "pattern", "enum")
_READS_OLD: Final = "oldSelf"
"""A rule in CEL that judges edits, which is not among these."""

Edit = Callable[[Any], Any]
"""From the good value of a place, so that a part of it may be changed."""


class Row(NamedTuple):
    """What one rule refuses and takes, at each of its places."""

    wrong: Any
    """A value, or an ``Edit``."""
    right: Any


@dataclass(frozen=True)
class Case:
    """One rule at one place, with a manifest that it refuses and one that it takes."""

    kind: type[KubernetesObject]
    place: str
    """Such as ``spec.pools[].min{}``."""
    rule: str
    wrong: Document
    right: Document

    def __str__(self) -> str:
        """Return a name for people."""
        return f"{self.kind.__name__} {self.place}: {self.rule}"


def cases() -> Iterator[Case]:
    """Each rule at each place, once."""
    seen = set[tuple[type, str, str]]()
    for kind in good_manifests.KINDS:
        for manifest in good_manifests.manifests(kind, reader_faults.of):
            for site in good_manifests.sites(kind, manifest):
                place = _place(kind, site.path)
                for rule, row in _rows(site, place):
                    if (kind, place, rule) in seen:
                        continue
                    seen.add((kind, place, rule))
                    wrong, right = (
                        good_manifests.edited(manifest, site.path, _value(each, site.value))
                        for each in row
                    )
                    yield Case(kind, place, rule, wrong, right)


def rules(schema: Document) -> Iterator[str]:
    """The rules of one place."""
    yield from (f"{word} {schema[word]}" for word in _BOUNDS if word in schema)
    yield from (f"required {key}" for key in schema.get("required", ()))
    for each in schema.get(RULES, ()):
        if _READS_OLD not in each["rule"]:
            yield each["message"]


def _rows(site: Site, place: str) -> Iterator[tuple[str, Row]]:
    for rule in rules(site.schema):
        word, _, rest = rule.partition(" ")
        if row := TABLE.get(f"{place}: {word}") or TABLE.get(rule):
            yield rule, row
        elif word in _SIZES:
            yield from _size(rule, word, site)
        elif word == "enum":
            yield rule, Row("Another", site.value)
        elif word == "required":
            yield rule, Row(_without(rest), site.value)
        else:
            raise KeyError(f"no row for {rule!r}, which {place} has")


def _size(rule: str, word: str, site: Site) -> Iterator[tuple[str, Row]]:
    """None for a number at a place where text is bounded too; another place of the rule has one."""
    bound, what = site.schema[word], word[3:]
    beyond = bound + (1 if word.startswith("max") else -1)
    wrong, right = ([*manifest_mutations.sized(site, size, what)] for size in (beyond, bound))
    if wrong and right:
        number = "x-kubernetes-int-or-string" in site.schema and what == "imum"
        yield rule, Row(wrong[0], site.value if number else right[0])


def _place(kind: type[KubernetesObject], path: Path) -> str:
    """The path, with ``{}`` for the key of a map and ``[]`` for an index."""
    schema, found = good_manifests.schema_of(kind), path[0]
    for key in path[1:]:
        if isinstance(key, int):
            schema, found = schema["items"], f"{found}[]"
        elif key in schema.get("properties", {}):
            schema, found = schema["properties"][key], f"{found}.{key}"
        else:
            schema, found = schema["additionalProperties"], f"{found}{{}}"
    return str(found)


def _value(given: Any, value: Any) -> Any:
    return given(value) if callable(given) else given


def _with(**fields: Any) -> Edit:
    return lambda value: {**value, **fields}


def _without(*keys: str) -> Edit:
    return lambda value: {key: each for key, each in value.items() if key not in keys}


def _key(name: str) -> Edit:
    """One more entry with that key."""
    return lambda value: {**value, name: next(iter(value.values()), "a")}


def _twice(value: list[Document]) -> list[Document]:
    return [*value, value[0]]


def _more(side: str, amount: Any, name: str = "cpu") -> Edit:
    """Another amount in min or max."""
    return lambda value: {**value, side: {**value[side], name: amount}}


def _same(value: Any) -> Any:
    return value


def _as_max(value: Document) -> Document:
    """A min that is the max, in another unit."""
    return {**value, "min": {**value["min"], "cpu": f"{value['max']['cpu']}000m"}}


def _amounts(count: int) -> Document:
    return {f"example.com/r{number}": "1" for number in range(count)}


def _pools(count: int) -> Edit:
    """Pools of a tree, or of a quota."""

    def made(value: list[Document]) -> list[Document]:
        if "nodeLabels" in value[0]:
            names = [f"r{number}" for number in range(count)]
            return [{"name": name, "nodeLabels": {"gpu.model": name}} for name in names]
        return [{**value[0], "name": f"r{number}"} for number in range(count)]

    return made


_DURATION: Final = "00000h000010m00000000s00000000ms"
_CAPACITY: Final = {"cpu": 20, "memory": "80Gi"}
_ELASTIC: Final[Document] = {"mode": "Elastic", "max": _CAPACITY}
_DECLARED: Final[Document] = {"mode": "Declared", "total": _CAPACITY}
_AMOUNT: Final = Row("1e25", lambda value: f"+{value}")
_LABEL_VALUE: Final = Row("-a", "A_b.c")
_NAME: Final = Row("a b", "example.com/a")
_NAMED: Final = Row(_key("a b"), _key("example.com/a"))
_POOL: Final = Row("a_b", "0-a")
_WHOSE: Final = Row("Team_B", "*")
_BOUND: Final = Row("*", "0-a")
_CLASS: Final = Row("a..b", "")

_LONG_NAME: Final = Row(f"{'a' * 254}/{'a' * 63}", f"{'a' * 253}/{'a' * 63}")
_LONG_DURATION: Final = Row(f"0{_DURATION}", _DURATION)
_EMPTY: Final = Row("", _same)
_MANY_LABELS: Final = Row({f"example.com/r{number}": "a" for number in range(17)}, _same)

TABLE: Final[Mapping[str, Row]] = {
    # A good value at the bound would break another rule, or needs a form of its own.
    "spec.min: maxProperties": Row(_amounts(65), _same),
    "spec.weight: maxProperties": Row(_amounts(65), _same),
    "spec.pools[].min: maxProperties": Row(_amounts(17), _same),
    "spec.pools[].nodeLabels: maxProperties": _MANY_LABELS,
    "spec.tree.pools[].nodeLabels: maxProperties": _MANY_LABELS,
    "spec.tree.pools[].nodeLabels: every": Row(_key("a b"), _same),
    "spec.pools[].nodeLabels: every": Row(_key("a b"), _same),
    "spec.tree.pools: maxItems": Row(_pools(33), _pools(32)),
    "spec.pools: maxItems": Row(_pools(33), _pools(32)),
    "spec.reclaim.grace: minLength": _EMPTY,
    "spec.reclaim.overMaxDelay: minLength": _EMPTY,
    "spec.tree.capacity.scaleUpTimeout: minLength": _EMPTY,
    "spec.capacity.scaleUpTimeout: minLength": _EMPTY,
    "spec.provisioning.timeout: minLength": _EMPTY,
    "maxLength 32": _LONG_DURATION,
    "maxLength 64": Row(lambda value: f"{value:0>65}", lambda value: f"{value:0>64}"),
    "spec.nodeSelector.matchExpressions[].key: maxLength": _LONG_NAME,
    "spec.resourceKeys[]: maxLength": _LONG_NAME,
    # By pattern, and by message in CEL.
    "pattern ^[+-]?([0-9]+|[0-9]+\\.[0-9]*|\\.[0-9]+)"
    "([KMGTPE]i|[numkMGTPE]|[eE][+-]?([01]?[0-9]|2[0-4]))?$": _AMOUNT,
    "must be a quantity such as 500m, 2 or 16Gi [EQ1001]": _AMOUNT,
    "must be greater than or equal to 0 [EQ1001]": Row("-1", _same),
    "pattern ^[+]?([0-9]+|[0-9]+\\.[0-9]*|\\.[0-9]+)"
    "([KMGTPE]i|[numkMGTPE]|[eE][+-]?([01]?[0-9]|2[0-4]))?$": _AMOUNT,
    "names a resource that max does not name; add it to max, or leave max out for no limit "
    "[EQ1002]": Row(_more("min", 1, "example.com/a"), _more("max", 1, "example.com/a")),
    "must be less than or equal to max, resource by resource; lower min or raise max [EQ1002]": Row(
        _more("min", 41), _as_max
    ),
    "every key must be the name of a resource, such as cpu, memory or nvidia.com/gpu [EQ1001]": Row(
        _key("a b"), _same
    ),
    "must not name a pool in the name of a resource; bound pools in spec.pools [EQ1001]": Row(
        _key(f"a100.{POOL_DOMAIN}/cpu"), _same
    ),
    "pattern ^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$": _LABEL_VALUE,
    "must have only letters, digits, '-', '_' and '.', with a letter or a digit at both ends": (
        _LABEL_VALUE
    ),
    "pattern ^([*]|[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)$": _WHOSE,
    "must be the name of a namespace, or '*' for all [EQ1001]": _WHOSE,
    "pattern ^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$": _BOUND,
    "must be the name of a namespace [EQ1004]": _BOUND,
    "must be a duration such as 30s or 1m30s, from 0s to 24h [EQ1001]": Row("24h1ms", "24h"),
    "must be Never, or a duration such as 15m, from 0s to 24h [EQ1001]": Row("never", "Never"),
    "must be a duration such as 30s or 1m30s, from 10s to 24h [EP1201]": Row("9s", "10s"),
    "must be a duration such as 30s or 1m30s, from 1s to 24h [EP1201]": Row("999ms", "1s"),
    "must name users or groups [EQ1001]": Row({"users": []}, {"groups": ["a"]}),
    "pattern ^( |[^\\p{C}\\p{Z}])+$": Row("a\u200b", "\u00e4 b"),
    "every key must be the name of a label, such as gpu or nvidia.com/gpu.product [EQ1001]": _NAMED,
    "every key must be the name of a label, such as gpu.model [EP1201]": _NAMED,
    "must be the name of a label, such as gpu.model [EP1201]": _NAME,
    "pattern ^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}"
    "[A-Za-z0-9])?$": _NAME,
    "must be the name of a resource, such as cpu or nvidia.com/gpu [EP1201]": _NAME,
    "has no effect without pools; name them, or leave it out [EP1201]": Row(
        _without("pools"), _without("pools", "poolResources")
    ),
    "must not name a pool twice; give each pool a name of its own [EP1201]": Row(_twice, _same),
    "pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$": _POOL,
    "must have only lower case letters, digits and '-', such as a100": _POOL,
    "cannot be counted by pool; name a resource of nodes such as cpu or nvidia.com/gpu [EP1201]": (
        Row("pods", "example.com/a")
    ),
    "must name cpu and memory in mode Elastic, because nodes to come offer only what it names "
    "[EP1201]": Row({"mode": "Elastic", "max": {"cpu": 20}}, _ELASTIC),
    "must say in mode Declared what the tree offers, such as {cpu: 20, memory: 80Gi} [EP1201]": Row(
        {"mode": "Declared"}, _DECLARED
    ),
    "max, largestNode and scaleUpTimeout belong to mode Elastic; leave them out [EP1201]": Row(
        {**_DECLARED, "max": _CAPACITY}, _ELASTIC
    ),
    "belongs to mode Declared; leave it out [EP1201]": Row(
        {**_ELASTIC, "total": _CAPACITY}, _DECLARED
    ),
    "must be less than or equal to max, the most of all nodes together, resource by resource "
    "[EP1201]": Row(
        {**_ELASTIC, "largestNode": {"cpu": 21}}, {**_ELASTIC, "largestNode": {"cpu": "20000m"}}
    ),
    "names a resource that no node offers; nodes offer cpu, memory, pods, ephemeral-storage, huge "
    "pages, and devices with a domain in their name such as nvidia.com/gpu [EP1201]": Row(
        _key("gpu"), _key("nvidia.com/gpu")
    ),
    "must be a name of lower case letters, digits, '-' and '.', such as gpu-pool [EP1201]": Row(
        "Gpu_pool", "gpu.pool"
    ),
    "values must be given for operator In and NotIn, and must be left out for Exists and "
    "DoesNotExist [EP1201]": Row(
        {"key": "a", "operator": "In"}, {"key": "a", "operator": "Exists"}
    ),
    'must be a decimal greater than 0 and at most 1, such as "0.9" [EP1201]': Row("1.01", ".5"),
    "pattern ^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$": _CLASS,
    "must be the name of a provisioning class, such as check-capacity.autoscaling.x-k8s.io, or "
    "empty to ask for no nodes [EP1201]": _CLASS,
}
"""By rule, or by place and the first word of the rule."""

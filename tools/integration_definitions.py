"""Writes the CRDs of the integrations that the chart can install.

    PYTHONPATH=operator:tools python -m integration_definitions

A schema cannot recurse, so ACK's tree is written out to ten levels; deeper levels are refused, not
dropped. Conditions have the schema of our own quota's. The schemas of Queue and QueueUnit are in
``queue_definitions``. A test compares the files with what this program would write.
"""

from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

import queue_definitions
from elasticquota import names


ROOT: Final = Path(__file__).parents[1]
FOLDERS: Final = (
    ROOT / "crds" / "dialects",
    ROOT / "charts" / "elastic-quota-operator" / "files" / "dialects",
)
"""The repository's copies, and the chart's copies."""

LEVELS: Final = 10
"""Of a tree, including the root."""

_HEAD: Final = "# Written by tools/integration_definitions.py.\n"
_OURS: Final = ROOT / "crds" / "elasticquotas.yaml"

Document = dict[str, Any]


def written() -> dict[str, str]:
    """The text of each file by its name: the integration, or the plural of the kind."""
    return {f"{name}.yaml": _HEAD + _text(found) for name, found in _definitions().items()}


def _definitions() -> dict[str, Document]:
    return {
        "ack": _definition(
            group=names.TREE_GROUP,
            version=names.TREE_VERSION,
            kind=names.TREE_KIND,
            plural=names.TREE_PLURAL,
            short_names=[],
            approval="unapproved, the kind is ACK's",
            schema=_tree_schema(),
            columns=[
                _column("Translated", _OF_CONDITION, "Whether quotas follow the tree."),
                _AGE,
            ],
        ),
        "capacity": _definition(
            group=names.CAPACITY_GROUP,
            version=names.CAPACITY_VERSION,
            kind=names.CAPACITY_KIND,
            plural=names.CAPACITY_PLURAL,
            short_names=["eq", "eqs"],
            approval="https://github.com/kubernetes-sigs/scheduler-plugins/pull/52",
            schema=_capacity_schema(),
            columns=[
                _column("Used", ".status.used", "What the pods of the namespace use."),
                _column("Max", ".spec.max", "What they may use at most."),
                _AGE,
                {
                    **_column("Translated", _OF_CONDITION, "Whether a quota follows it."),
                    "priority": 1,
                },
            ],
        ),
        **{
            plural: _definition(
                group=names.JOB_QUEUE_GROUP,
                version=names.JOB_QUEUE_VERSION,
                kind=kind,
                plural=plural,
                short_names=short_names,
                approval=queue_definitions.APPROVAL,
                schema=schema,
                columns=[*queue_definitions.columns(kind), _AGE],
            )
            for kind, plural, short_names, schema in (
                (names.JOB_QUEUE_KIND, names.JOB_QUEUE_PLURAL, [], _queue_schema()),
                (names.QUEUE_UNIT_KIND, names.QUEUE_UNIT_PLURAL, ["qu", "qus"], _unit_schema()),
            )
        },
    }


_OF_CONDITION: Final = '.status.conditions[?(@.type=="Translated")].status'
_AGE: Final = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}


def _column(name: str, path: str, description: str) -> Document:
    return {"name": name, "type": "string", "jsonPath": path, "description": description}


def _definition(
    *,
    group: str,
    version: str,
    kind: str,
    plural: str,
    short_names: list[str],
    approval: str,
    schema: Document,
    columns: list[Document],
) -> Document:
    called: Document = {
        "kind": kind,
        "listKind": f"{kind}List",
        "plural": plural,
        "singular": kind.lower(),
    }
    if short_names:
        called["shortNames"] = short_names
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
            "annotations": {
                "api-approved.kubernetes.io": approval,
                "helm.sh/resource-policy": "keep",
            },
        },
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": called,
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": columns,
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }


def _tree_schema() -> Document:
    figures = {
        "path": _said("string", "Names of the nodes from the root down to this one, with /."),
        "quota": _said("string", "Name of the ElasticQuota that follows the node."),
        "min": _amounts("The effective min."),
        "max": _amounts("The max in force."),
        "request": _amounts("What the live pods below the node ask for, waiting pods included."),
        "used": _amounts("What the live pods below the node that are bound to one ask for."),
        "runtime": _amounts("What they may use now."),
        "pending": _said("integer", "Number of pods that wait for room."),
    }
    node = {
        "type": "object",
        "description": "One node of the tree and its figures.",
        "required": ["path", "quota"],
        "properties": figures,
    }
    return _object(
        "ElasticQuotaTree shares a cluster among teams: each node guarantees min and lets borrow "
        "up to max. The oldest one in kube-system counts. The controller keeps an ElasticQuota for "
        "each node but the root.",
        spec={
            "type": "object",
            "description": "The tree.",
            "required": ["root"],
            "properties": {"root": _node(1)},
        },
        status={
            "nodes": {
                "type": "array",
                "description": "Figures of the nodes, by path; of 500 at most.",
                "items": node,
            },
            "root": {
                "type": "object",
                "description": "The tree as ACK shows it: of each node its name, namespaces and "
                "children, and what its pods use and request.",
                **_WHATEVER,
            },
        },
    )


def _node(level: int) -> Document:
    children: Document = {
        "type": "array",
        "description": "Nodes below this one; a node with children has no namespaces.",
        "items": _node(level + 1) if level < LEVELS else {"type": "object", **_WHATEVER},
    }
    if level == LEVELS:
        children["description"] = f"None: a tree has at most {LEVELS} levels."
        children["maxItems"] = 0
    return {
        "type": "object",
        "description": f"A node of level {level}.",
        "required": ["name"],
        **_WHATEVER,
        "properties": {
            "name": {
                "type": "string",
                "description": "Name of the node, unique in the tree.",
                "minLength": 1,
                "maxLength": 253,
            },
            "min": _amounts("What the node is guaranteed; nothing by default."),
            "max": _amounts("What it may use at most; no limit by default."),
            "namespaces": {
                "type": "array",
                "description": "Namespaces whose pods belong to the node; of leaves only.",
                "items": {"type": "string"},
            },
            "children": children,
        },
    }


_WHATEVER: Final = {"x-kubernetes-preserve-unknown-fields": True}
"""Unknown fields are kept, so that a condition can report them."""


def _capacity_schema() -> Document:
    return _object(
        "ElasticQuota guarantees the pods of its namespace min and lets them borrow up to max. One "
        "in each namespace counts. The controller keeps an ElasticQuota of scheduling.sigs.k8s.io "
        "for it.",
        spec={
            "type": "object",
            "description": "What the namespace is guaranteed and what it may use at most.",
            "x-kubernetes-validations": [_MIN_WITHIN_MAX],
            "properties": {
                "min": _bounds("What is guaranteed; nothing by default."),
                "max": _bounds("What may be used at most; no limit by default."),
            },
        },
        status={"used": _amounts("What the pods of the namespace that have a node ask for.")},
    )


# A quantity with a huge exponent would keep the quantity library busy for minutes, so what the
# rules of the amounts refuse must not reach it (crds/elasticquotas.yaml has the same).
_READABLE: Final = (
    "[self.min[key], self.max[key]].all(bound, !string(bound).matches('[eE][+-]?[0-9]{3}') "
    "&& isQuantity(string(bound)))"
)
_ABOVE: Final = (
    f"key in self.max && {_READABLE} "
    "&& quantity(string(self.min[key])).isGreaterThan(quantity(string(self.max[key])))"
)
_MIN_WITHIN_MAX: Final = {
    "rule": f"!has(self.min) || !has(self.max) || !self.min.exists(key, {_ABOVE})",
    "fieldPath": ".min",
    "reason": "FieldValueInvalid",
    "message": "must be less than or equal to max, resource by resource; lower min or raise max",
    "messageExpression": f"self.min.filter(key, {_ABOVE}).map(key, key + ': ' "
    "+ string(self.min[key]) + ' must be less than or equal to ' + string(self.max[key]) "
    "+ ', its max; lower min or raise max')[0]",
}
"""A resource that one of the two does not name is compared with nothing (C3)."""
_NUMBER: Final = r"([0-9]+|[0-9]+[.][0-9]*|[.][0-9]+)"
_SUFFIX: Final = r"([KMGTPE]i|[numkMGTPE]|[eE][+-]?([01]?[0-9]|2[0-4]))?"


def _bounds(description: str) -> Document:
    """Amounts that a user writes: quantities that are not negative and that a cluster can have."""
    return {
        "type": "object",
        "description": description,
        "maxProperties": 64,
        "additionalProperties": {
            "x-kubernetes-int-or-string": True,
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "maxLength": 64,
            "pattern": f"^[+-]?{_NUMBER}{_SUFFIX}$",
            "x-kubernetes-validations": [
                {
                    "rule": f"string(self).matches('^[+-]?{_NUMBER}{_SUFFIX}$')",
                    "message": "must be a quantity such as 500m, 2 or 16Gi",
                },
                {
                    "rule": "!string(self).startsWith('-')",
                    "message": "must be greater than or equal to 0",
                },
            ],
        },
    }


def _queue_schema() -> Document:
    return _object(
        "Queue is where jobs of a quota wait until all that they ask for has room. The controller "
        "keeps one for each leaf.",
        spec=queue_definitions.queue_spec(),
        status=queue_definitions.queue_status(),
        conditions="Facts of the queue, with reasons.",
    )


def _unit_schema() -> Document:
    return _object(
        "QueueUnit is a job in its queue. The controller makes one for each job, and it goes with "
        "the job.",
        spec=queue_definitions.unit_spec(_amounts("", sign="[+]?")),
        status=queue_definitions.unit_status(_amounts("")),
        conditions="Facts of the job, with reasons.",
    )


_TRANSLATED: Final = (
    "Condition Translated says whether quotas follow the object, and what of it they do "
    "differently."
)


def _object(
    description: str, *, spec: Document, status: Document, conditions: str = _TRANSLATED
) -> Document:
    said = {
        "type": "object",
        "description": "What the controller did and saw.",
        "properties": {**status, "conditions": _conditions(conditions)},
    }
    kept = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
    return {
        "type": "object",
        "description": description,
        "properties": {**kept, "metadata": {"type": "object"}, "spec": spec, "status": said},
    }


def _conditions(description: str) -> Document:
    return {**_our_conditions(), "description": description}


@cache
def _our_conditions() -> Document:
    ours = yaml.safe_load(_OURS.read_text(encoding="utf-8"))
    (version,) = ours["spec"]["versions"]
    status = version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    found: Document = status["conditions"]
    return found


def _said(kind: str, description: str) -> Document:
    return {"type": kind, "description": description}


def _amounts(description: str, sign: str = "[+-]?") -> Document:
    """A resource list; ``sign`` is the pattern of what may stand before a number."""
    return {
        "type": "object",
        "description": description,
        "additionalProperties": {
            "x-kubernetes-int-or-string": True,
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "maxLength": 64,
            "pattern": rf"^{sign}([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)"
            r"([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$",
        },
    }


class _Plain(yaml.SafeDumper):
    """Writes no YAML anchors: nested over ten levels they are unreadable."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature is PyYAML's
        return True


def _text(document: Document) -> str:
    text: str = yaml.dump(document, Dumper=_Plain, sort_keys=False, width=10_000)
    return text


if __name__ == "__main__":
    for folder in FOLDERS:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in written().items():
            (folder / file).write_text(content, encoding="utf-8")

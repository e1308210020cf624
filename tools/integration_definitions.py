"""The definitions of external systems' kinds, for ``definition_files`` to write.

A schema cannot recurse, so ACK's tree is written out to ten levels; deeper levels are refused, not
dropped. Conditions have the schema of our own.
"""

from typing import Any, Final

from definition_files import structural
from definition_files.definition import definition
from elasticquota import names
from elasticquota.wire.codec import amounts
from elasticquota_api.amounts import BOUND_IN_CEL, LONGEST, bound_rules, pattern
from elasticquota_api.conditions import Condition
from elasticquota_api.markers import RULES, ValidationRule, list_map
from elasticquota_api.min_and_max import ABOVE, MESSAGE
from elasticquota_api.model import AGE, Column, ServedKind


LEVELS: Final = 10
"""Of a tree, including the root."""

Document = dict[str, Any]


def definitions() -> dict[str, Document]:
    """The definition of each by the name of the integration."""
    return {
        "ack": definition(names.TREE_KIND, _TREE, _tree_schema()),
        "capacity": definition(names.CAPACITY_KIND, _CAPACITY, _capacity_schema()),
    }


def _translated(description: str, *, wide: bool = False) -> Column:
    path = '.status.conditions[?(@.type=="Translated")].status'
    return Column("Translated", "string", path, description, wide)


_TREE: Final = ServedKind(
    names.TREE_GROUP,
    names.TREE_VERSION,
    names.TREE_PLURAL,
    (_translated("Whether quotas follow the tree."), AGE),
    approval="unapproved, the kind is ACK's",
)
_CAPACITY: Final = ServedKind(
    names.CAPACITY_GROUP,
    names.CAPACITY_VERSION,
    names.CAPACITY_PLURAL,
    (
        Column("Used", "string", ".status.used", "What the pods of the namespace use."),
        Column("Max", "string", ".spec.max", "What they may use at most."),
        AGE,
        _translated("Whether a quota follows it.", wide=True),
    ),
    ("eq", "eqs"),
    approval="https://github.com/kubernetes-sigs/scheduler-plugins/pull/52",
)


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
            RULES: [_MIN_WITHIN_MAX.document()],
            "properties": {
                "min": _bounds("What is guaranteed; nothing by default."),
                "max": _bounds("What may be used at most; no limit by default."),
            },
        },
        status={"used": _amounts("What the pods of the namespace that have a node ask for.")},
    )


_MIN_WITHIN_MAX: Final = ValidationRule(
    f"!has(self.min) || !has(self.max) || !self.min.exists(key, {ABOVE})",
    MESSAGE,
    f"self.min.filter(key, {ABOVE}).map(key, key + ': ' "
    "+ string(self.min[key]) + ' must be less than or equal to ' + string(self.max[key]) "
    "+ ', its max; lower min or raise max')[0]",
    reason="FieldValueInvalid",
    field_path=".min",
)
"""A resource that one of the two does not name is compared with nothing (C3)."""


def _bounds(description: str) -> Document:
    """Amounts that a user writes: quantities that are not negative and that a cluster can have."""
    listed = _amounts(description, BOUND_IN_CEL)
    listed["additionalProperties"][RULES] = [each.document() for each in bound_rules()]
    return {**listed, "maxProperties": amounts.MOST}


_TRANSLATED: Final = (
    "Condition Translated says whether quotas follow the object, and what of it they do "
    "differently."
)


def _object(description: str, *, spec: Document, status: Document) -> Document:
    conditions = {
        "type": "array",
        "description": _TRANSLATED,
        "items": structural.schema(Condition),
        **list_map("type").added,
    }
    said = {
        "type": "object",
        "description": "What the controller did and saw.",
        "properties": {**status, "conditions": conditions},
    }
    kept = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
    return {
        "type": "object",
        "description": description,
        "properties": {**kept, "metadata": {"type": "object"}, "spec": spec, "status": said},
    }


def _said(kind: str, description: str) -> Document:
    return {"type": kind, "description": description}


def _amounts(description: str, quantity: str = pattern()) -> Document:
    """A resource list; ``quantity`` is the regular expression of an amount."""
    return {
        "type": "object",
        "description": description,
        "additionalProperties": {
            "x-kubernetes-int-or-string": True,
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "maxLength": LONGEST,
            "pattern": quantity,
        },
    }

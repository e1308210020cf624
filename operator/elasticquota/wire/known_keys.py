"""Every label and annotation that is read or written, by kind of object and by place.

The keys are those of ``names``, and of namespaces those that YuniKorn's queues are made from.
``key_warnings`` compares what users write with this table. A test compares the table with
``names`` and with docs/annotations.md, so a new key cannot be left out.
"""

from collections.abc import Mapping
from typing import Final, Literal

from elasticquota import names
from elasticquota.wire.integrations import queue_namespaces


Kind = Literal["quota", "profile", "pod", "namespace", "tree", "job"]
Place = Literal["label", "annotation"]
Places = Mapping[Place, frozenset[str]]

FIGURES: Final = (
    names.RUNTIME,
    names.REQUEST,
    names.CHILD_REQUEST,
    names.GUARANTEED,
    names.ALLOCATED,
    names.NON_PREEMPTIBLE_REQUEST,
    names.NON_PREEMPTIBLE_USED,
)
"""Published on quotas. A copied manifest has them, and the controller corrects them."""

KEYS: Final[Mapping[Kind, Places]] = {
    "quota": {
        "label": frozenset(
            {
                names.PARENT,
                names.IS_PARENT,
                names.ALLOW_LENT,
                names.TREE_ID,
                names.IS_ROOT,
                names.PROFILE,
                names.IGNORE_DEFAULT_TREE,
                names.ALLOW_FORCE_UPDATE,
                names.DIALECT,
            }
        ),
        "annotation": frozenset(
            {
                names.SHARED_WEIGHT,
                names.ADMISSION,
                names.NAMESPACES,
                names.STRICT_KEYS,
                names.TOTAL_RESOURCE,
                names.UNSCHEDULABLE_RESOURCE,
                names.PRESENT_RESOURCE,
                names.PLACED_BELOW,
                names.SOURCE,
                *FIGURES,
            }
        ),
    },
    "profile": {
        "label": frozenset({names.TREE_ID}),
        "annotation": frozenset({names.RESOURCE_KEYS}),
    },
    "pod": {
        "label": frozenset(
            {
                names.QUOTA_NAME,
                *names.QUOTA_ALIASES,
                names.PREEMPTIBLE,
                names.POD_GROUP,
                names.POD_GROUP_SIZE,
                names.ALL_OR_NOTHING,
                names.ADMITTED_AT,
            }
        ),
        "annotation": frozenset(
            {
                names.POD_GROUP_SIZE,
                names.ALL_OR_NOTHING,
                names.EVICT_LAST,
                names.ALLOW_PREEMPTION,
                names.EXPECTED,
                *names.CONSUME_PROVISIONING,
                *names.PROVISIONING_CLASS,
            }
        ),
    },
    "namespace": {
        "label": frozenset({names.NAMESPACE_QUOTA}),
        "annotation": frozenset(
            {
                *queue_namespaces.AMOUNTS,
                f"{names.YUNIKORN_PREFIX}parentqueue",
                *names.AVAILABLE_QUOTA,
            }
        ),
    },
    "tree": {"label": frozenset(), "annotation": frozenset({names.TREE_PROFILE})},
    "job": {
        "label": frozenset({names.QUEUE_NAME}),
        "annotation": frozenset(
            {names.SUSPEND, names.QUEUE_NAME, *names.MIN_RESOURCES, names.JOB_PHASE}
        ),
    },
}

ALIASES: Final[Mapping[str, str]] = {
    "parent-quota-name": names.PARENT,
    "parent-quota": names.PARENT,
    "parent-name": names.PARENT,
    "quota-name": names.QUOTA_NAME,
    "quota": names.QUOTA_NAME,
    "tree": names.TREE_ID,
    "root": names.IS_ROOT,
    "lent-resource": names.ALLOW_LENT,
    "allow-lent": names.ALLOW_LENT,
    "weight": names.SHARED_WEIGHT,
    "namespace": names.NAMESPACES,
}
"""Names that documents and users use for a key: the last part of the key, in kebab case."""

NOT_READ: Final[Mapping[str, str]] = {
    "yunikorn.apache.org/namespace.enableYuniKorn": "see config.systemNamespaces",
    "yunikorn.apache.org/namespace.generateAppId": "pods without one have their namespace",
    "koord-queue/queue-policy": "spec.queue.policy: Strict says what Block means",
    "koord-queue/queue-args": "spec.queue has what there is to choose",
    "koord-queue/priority-threshold": "jobs go by priority, then by age",
    "koord-queue/wait-for-pods-running": "a job reserves what its pods may still ask for",
    "koord-queue/enable-queueunit-preemption": "preemption of jobs is not chosen by quota",
}
"""Keys that a peer reads and that are deliberately not read here, with what counts instead."""

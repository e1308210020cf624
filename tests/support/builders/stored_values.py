"""Quotas and profiles as a user would have written them, for tests that begin with values.

A quota with faults gets one more: a min that cannot be read.
"""

import json
from typing import Any

from elasticquota import names, resources
from elasticquota.model.key import Key
from elasticquota.model.profile import WHOLE, Profile
from elasticquota.model.quota import Quota
from elasticquota.wire.quota import limits


Document = dict[str, Any]


def quota(found: Quota) -> Document:
    labels = {
        names.PARENT: found.parent,
        names.IS_PARENT: _switch(found.is_parent),
        names.IS_ROOT: _switch(found.is_root),
        names.ALLOW_LENT: _switch(found.allow_lent),
        names.IGNORE_DEFAULT_TREE: _switch(found.shares_default_tree),
        names.TREE_ID: found.tree_id,
        names.PROFILE: found.profile,
    }
    annotations = {
        names.ADMISSION: _amounts(found.admission or None),
        names.NAMESPACES: json.dumps(found.namespaces) if found.namespaces else "",
        names.SHARED_WEIGHT: _amounts(found.shared_weight),
        names.TOTAL_RESOURCE: _amounts(found.total),
    }
    least = {"cpu": "much"} if found.faults else resources.text(found.min)
    return {
        "apiVersion": names.QUOTA_API,
        "kind": names.QUOTA_KIND,
        "metadata": _metadata(found, labels, annotations),
        "spec": {
            "min": least,
            "max": resources.text(found.max),
            "limits": limits.document(found.limits),
            "tree": {"guaranteeUsage": found.guarantee_usage},
        },
    }


def profile(found: Profile) -> Document:
    keys = found.resource_keys
    annotations = {names.RESOURCE_KEYS: "" if keys is None else json.dumps(keys)}
    expressions = [
        {"key": each.key, "operator": each.operator, "values": list(each.values)}
        for each in found.selector.requirements
    ]
    spec: Document = {
        "quotaName": found.quota_name,
        "nodeSelector": {"matchExpressions": expressions},
        "quotaLabels": dict(found.quota_labels),
    }
    if found.ratio != WHOLE:
        spec["resourceRatio"] = str(found.ratio.numerator / found.ratio.denominator)
    return {
        "apiVersion": names.PROFILE_API,
        "kind": names.PROFILE_KIND,
        "metadata": _metadata(found, {names.TREE_ID: found.tree_id}, annotations),
        "spec": spec,
    }


def _metadata(found: Quota | Profile, labels: Document, annotations: Document) -> Document:
    key: Key = found.key
    return {
        "namespace": key.namespace,
        "name": key.name,
        "uid": found.uid,
        "creationTimestamp": found.created,
        "generation": found.generation,
        "labels": {key: value for key, value in labels.items() if value},
        "annotations": {key: value for key, value in annotations.items() if value},
    }


def _switch(on: bool) -> str:
    return "true" if on else "false"


def _amounts(found: resources.Resources | None) -> str:
    return "" if found is None else json.dumps(resources.text(found))

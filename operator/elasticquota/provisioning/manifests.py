"""The objects that ask: a ProvisioningRequest, and a PodTemplate for each of its pod sets.

They belong to the workload: the garbage collector removes them with it, also when the controller
died between two writes. The name has the workload's, a digest of what is asked for, and the number
of the attempt, so that the same workload always asks by the same name. An object of that name that
does not ask for exactly this, or has no owner among the workload's, is not ours: it is left alone,
and the next free number is taken.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.owner import Owner
from elasticquota.structs import Struct


_LONGEST_BASE: Final = 40
_UNFIT: Final = re.compile(r"[^a-z0-9]+")
MOST_OWNERS: Final = 16
"""Owners of a request; the garbage collector removes it with the last of them."""


class Asking(Struct, frozen=True):
    """What one workload asks for in one namespace, in all its attempts."""

    namespace: str
    prefix: str
    """The start of the names, up to the number of the attempt."""
    subject: str
    """The workload, as in annotation `names.PROVISIONING_FOR`."""
    owners: tuple[Owner, ...]
    """The job, or the pods, for which is asked."""
    class_name: str
    parameters: tuple[tuple[str, str], ...]
    counts: tuple[int, ...]
    """The number of pods of each set."""

    def name(self, attempt: int) -> str:
        """The name of the request of this attempt, from 1."""
        return f"{self.prefix}-{attempt}"

    def template(self, attempt: int, place: int) -> str:
        """The name of the template of the pod set at ``place``."""
        return f"{self.name(attempt)}-{place}"


def asking(
    subject: Key,
    uids: Iterable[str],
    owners: Sequence[Owner],
    class_name: str,
    parameters: tuple[tuple[str, str], ...],
    counts: Sequence[int],
) -> Asking:
    """Return what the workload ``subject`` asks for; ``uids`` are those of all its parts."""
    written = [text for pair in parameters for text in pair]
    parts = [*subject, *sorted(uids), class_name, *written, *map(str, counts)]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:10]
    base = _UNFIT.sub("-", subject.name.rpartition("/")[2].lower()).strip("-")[:_LONGEST_BASE]
    return Asking(
        subject.namespace,
        f"{base.strip('-') or 'workload'}-{digest}",
        subject.name,
        tuple(owners[:MOST_OWNERS]),
        class_name,
        parameters,
        tuple(counts),
    )


def attempt_of(name: str, prefix: str) -> int | None:
    """The number of the attempt in a name; None: the name has another prefix, or no number."""
    start, _, number = name.rpartition("-")
    usable = start == prefix and number.isascii() and number.isdigit() and len(number) < 7
    return int(number) if usable and number == str(int(number)) else None


def prefix_of(name: str) -> str:
    """The start of a name, up to the number of the attempt."""
    return name.rpartition("-")[0]


def request(asked: Asking, attempt: int) -> dict[str, Any]:
    """The ProvisioningRequest of an attempt."""
    return {
        "apiVersion": names.PROVISIONING_API,
        "kind": names.PROVISIONING_KIND,
        "metadata": _metadata(asked, asked.name(attempt)),
        "spec": spec(asked, attempt),
    }


def spec(asked: Asking, attempt: int) -> dict[str, Any]:
    """The spec of the request of an attempt."""
    found: dict[str, Any] = {
        "provisioningClassName": asked.class_name,
        "podSets": [
            {"count": count, "podTemplateRef": {"name": asked.template(attempt, place)}}
            for place, count in enumerate(asked.counts)
        ],
    }
    if asked.parameters:
        found["parameters"] = dict(asked.parameters)
    return found


def pod_template(
    asked: Asking, attempt: int, place: int, template: Mapping[str, Any]
) -> dict[str, Any]:
    """The PodTemplate of the pod set at ``place``."""
    return {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": _metadata(asked, asked.template(attempt, place)),
        "template": template,
    }


def is_ours(stored: Mapping[str, Any], asked: Asking, attempt: int) -> bool:
    """Whether a stored request asks for exactly this, and belongs to the workload."""
    return is_owned(stored, (owner.uid for owner in asked.owners)) and stored.get("spec") == spec(
        asked, attempt
    )


def is_owned(stored: Mapping[str, Any], uids: Iterable[str]) -> bool:
    """Whether one of ``uids`` owns the object."""
    return not set(owners(stored)).isdisjoint(uids)


def owners(stored: Mapping[str, Any]) -> list[str]:
    """The uids of the owners of an object."""
    return [uid for _, uid in owner_names(stored)]


def owner_names(stored: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The name and the uid of each owner of an object."""
    listed = stored["metadata"].get("ownerReferences")
    return [
        (str(each.get("name", "")), str(each.get("uid", "")))
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, Mapping)
    ]


def templates(stored: Mapping[str, Any]) -> list[str]:
    """The names of the templates of a request that were made with it: they start with its name."""
    found, name = stored.get("spec"), stored["metadata"]["name"]
    listed = found.get("podSets") if isinstance(found, Mapping) else None
    named = [
        each["podTemplateRef"].get("name")
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, Mapping) and isinstance(each.get("podTemplateRef"), Mapping)
    ]
    return [text for text in named if isinstance(text, str) and prefix_of(text) == name]


def class_name(stored: Mapping[str, Any]) -> str:
    """The provisioning class of a request."""
    found = stored.get("spec")
    return str(found.get("provisioningClassName", "")) if isinstance(found, Mapping) else ""


def subject(stored: Mapping[str, Any]) -> Key | None:
    """The workload that a request is for, by its own words; None: it does not say."""
    metadata = stored["metadata"]
    annotations = metadata.get("annotations")
    name = annotations.get(names.PROVISIONING_FOR) if isinstance(annotations, Mapping) else None
    return Key(metadata.get("namespace", ""), name) if isinstance(name, str) and name else None


def consumption(name: str, class_name: str) -> dict[str, str]:
    """The annotations by which pods use what was booked for the request ``name``."""
    return {
        **dict.fromkeys(names.CONSUME_PROVISIONING, name),
        **dict.fromkeys(names.PROVISIONING_CLASS, class_name),
    }


def _metadata(asked: Asking, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "namespace": asked.namespace,
        "annotations": {names.PROVISIONING_FOR: asked.subject},
        "ownerReferences": [
            {
                "apiVersion": owner.api_version,
                "kind": owner.kind,
                "name": owner.name,
                "uid": owner.uid,
            }
            for owner in asked.owners
        ],
    }

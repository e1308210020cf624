"""For ``--check``: pods that name a queue of the other system get the label of its quota.

So they belong to the quota to which they will have to be moved. A label of ours that a pod already
has stays. A suspended job with a queue waits there, so it is simulated as one that may run.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from elasticquota import names
from elasticquota.forest import wording
from elasticquota_cli.simulate.documents import Document


_TEMPLATES: Final = (("spec", "template"), ("spec", "jobTemplate", "spec", "template"))
_DEFAULT: Final = "default"


class PodQueues(NamedTuple):
    """How pods name their queue."""

    key: str
    is_label: bool
    """Whether ``key`` is a label and no annotation."""
    quotas: Mapping[tuple[str, str], str]
    """Names of quotas by namespace (empty: any) and name of the queue."""

    def quota(self, namespace: str, queue: str) -> str:
        """The quota of a queue; empty if there is none."""
        return self.quotas.get((namespace, queue)) or self.quotas.get(("", queue), "")


def labeled(found: Iterable[Document], queues: PodQueues, notes: list[str]) -> list[Document]:
    """The documents, with the labels of quotas; adds a note if there are such pods."""
    changed = 0
    result = []
    for document in found:
        content = _labeled(document.content, queues)
        changed += content is not document.content
        result.append(document._replace(content=content))
    if changed:
        objects = wording.counted(changed, "object")
        notes.append(
            f"{objects} with {queues.key} counted in the quota of the queue; on the cluster its "
            f"pods need the label {names.QUOTA_NAME}"
        )
    return result


def started(found: Iterable[Document], queues: PodQueues) -> list[Document]:
    """The documents; a job that is suspended and names a queue, so it waits there, may run."""
    return [
        each._replace(content={**each.content, "spec": {**each.content["spec"], "suspend": False}})
        if _waits(each.content, queues)
        else each
        for each in found
    ]


def _waits(content: dict[str, Any], queues: PodQueues) -> bool:
    spec = content.get("spec")
    is_suspended = isinstance(spec, dict) and spec.get("suspend") is True
    return is_suspended and bool(_queue(_metadata(content), queues))


def _labeled(content: dict[str, Any], queues: PodQueues) -> dict[str, Any]:
    own = _metadata(content)
    namespace = own.get("namespace") or _DEFAULT
    copied = copy.deepcopy(content)
    changed = False
    for holder in _holders(copied):
        metadata = _metadata(holder)
        labels = metadata.get("labels") or {}
        queue = _queue(metadata, queues) or _queue(own, queues)
        quota = queues.quota(str(namespace), queue) if queue else ""
        if quota and isinstance(labels, dict) and names.QUOTA_NAME not in labels:
            holder["metadata"] = {**metadata, "labels": {**labels, names.QUOTA_NAME: quota}}
            changed = True
    return copied if changed else content


def _holders(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The pod, or the templates of pods in a workload."""
    if content.get("kind") == "Pod":
        yield content
        return
    for path in _TEMPLATES:
        inner: Any = content
        for key in path:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            yield inner


def _metadata(holder: dict[str, Any]) -> dict[str, Any]:
    found = holder.get("metadata")
    return found if isinstance(found, dict) else {}


def _queue(metadata: dict[str, Any], queues: PodQueues) -> str:
    found = metadata.get("labels" if queues.is_label else "annotations")
    queue = found.get(queues.key) if isinstance(found, dict) else None
    return queue if isinstance(queue, str) else ""

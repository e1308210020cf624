"""Jobs in the queue of another system, which suspends and starts them itself.

Two controllers that turn the suspend switch of one job would do so against each other, so such a
job is not queued here. Its pods are admitted like any others, after the other system has
started it.
"""

from collections.abc import Iterable
from typing import Any, Final

from elasticquota.jobs import paths


KUEUE: Final = "kueue.x-k8s.io/queue-name"
"""kueue.sigs.k8s.io, "Run A Kubernetes Job": the label of a job that names its LocalQueue. Where a
namespace has a LocalQueue called ``default``, Kueue's webhook writes the label."""

KNOWN: Final = (KUEUE,)


def claimed(document: Any, labels: Iterable[str]) -> bool:
    """Whether one of ``labels`` of the job names a queue; an empty value names none."""
    written = paths.value(document, "metadata.labels")
    found = written if isinstance(written, dict) else {}
    return any(isinstance(found.get(label), str) and found[label] for label in labels)

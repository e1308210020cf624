"""Pod metadata -> the queue that it names for YuniKorn, in whichever spelling (Y14)."""

from typing import Final

from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.integrations.queue_namespaces import PREFIX


QUEUE: Final = PREFIX + "queue"
"""A label, and an annotation."""
_OLD: Final = "queue"


def queue(meta: ObjectMeta) -> str:
    """As written; empty: it names none. The label comes first, the old one last."""
    return meta.label(QUEUE) or meta.annotation(QUEUE) or meta.label(_OLD)

"""Pod metadata -> the YuniKorn queue that it names, from each label and annotation (Y14)."""

from typing import Final

from elasticquota import names
from elasticquota.wire.codec.metadata import ObjectMeta


QUEUE: Final = names.YUNIKORN_PREFIX + "queue"
"""A label and an annotation."""
_OLD: Final = "queue"


def queue(meta: ObjectMeta) -> str:
    """Return the queue as written; empty if none. The label comes first, the old label last."""
    return meta.label(QUEUE) or meta.annotation(QUEUE) or meta.label(_OLD)

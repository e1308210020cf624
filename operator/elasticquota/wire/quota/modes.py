"""The mode of a tree as somebody wrote it: ``enforce`` or ``observe``; nothing else is one.

What is no mode counts as if nobody had said any, so that the administrator's usual mode holds, and
a sentence says so.
"""

from elasticquota import names
from elasticquota.wire.codec import fields
from elasticquota.wire.codec.metadata import ObjectMeta


_OBSERVES = {names.ENFORCE: False, names.OBSERVE: True}


def read(meta: ObjectMeta) -> bool | None:
    """Whether the tree is to observe; None: nobody says so, or not in these words."""
    return _OBSERVES.get(meta.annotation(names.MODE))


def warning(meta: ObjectMeta) -> str | None:
    """What is wrong with what stands there, or None."""
    text = meta.annotation(names.MODE)
    if not text or text in _OBSERVES:
        return None
    return (
        f"metadata.annotations[{names.MODE}]: must be '{names.ENFORCE}' or '{names.OBSERVE}', "
        f"got {fields.shown(text)}, which counts as the mode of the configuration"
    )

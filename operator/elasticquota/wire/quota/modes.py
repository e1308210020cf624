"""Read the mode of a tree from its annotation: ``enforce`` or ``observe``.

Any other value counts as absent, so the mode of the configuration applies, and a warning says so.
"""

from elasticquota import names
from elasticquota.wire.codec import fields
from elasticquota.wire.codec.metadata import ObjectMeta


_OBSERVES = {names.ENFORCE: False, names.OBSERVE: True}


def read(meta: ObjectMeta) -> bool | None:
    """Return whether the tree observes; None if the annotation is absent or has another value."""
    return _OBSERVES.get(meta.annotation(names.MODE))


def warning(meta: ObjectMeta) -> str | None:
    """Return a warning for a value that is no mode, or None."""
    text = meta.annotation(names.MODE)
    if not text or text in _OBSERVES:
        return None
    return (
        f"metadata.annotations[{names.MODE}]: must be '{names.ENFORCE}' or '{names.OBSERVE}', "
        f"got {fields.shown(text)}, which counts as the mode of the configuration"
    )

"""What follows where the definition of a kind of ours is not that of this version.

The API server drops the fields that the served definition lacks. What has a label or an annotation
of Koordinator besides goes by it; the rest has no effect.
"""

from collections.abc import Iterator, Mapping, Sequence

from elasticquota.forest import wording
from elasticquota.model.decision import Condition


_MOST = 3


def text(lacking: Sequence[str]) -> str:
    """Return what the API server drops, and what that means; ``lacking``: ``spec.paused``."""
    settings = [field for field in lacking if field.startswith("spec.")]
    published = [field for field in lacking if field not in settings]
    parts = []
    if settings:
        parts.append(
            f"{wording.named(settings, _MOST)}, which {wording.agreed(len(settings), 'have')} no "
            f"effect: labels and annotations of Koordinator count"
        )
    if published:
        verb = wording.agreed(len(published), "are")
        parts.append(f"{wording.named(published, _MOST)}, which {verb} not published")
    return f"it is not the one of this version. The API server drops {'; and '.join(parts)}"


def conditions(lacking: Mapping[str, Sequence[str]]) -> Iterator[Condition]:
    """The condition of each root quota and profile while definitions lack fields of ours.

    ``lacking`` has the fields by definition (``elasticquotas.scheduling.sigs.k8s.io``).
    """
    if lacking:
        texts = (f"CustomResourceDefinition {name}: {text(lacking[name])}" for name in lacking)
        why = f"{'. '.join(sorted(texts))}. Apply the definitions of this version (crds/)"
        yield Condition("FieldsDropped", True, "DefinitionReplaced", why)

"""Fields of a quota that say the same as a label of Koordinator: the one place that decides.

The field counts where there is one, and its key is kept equal to it, so that Koordinator's tools
and ``kubectl -l`` see it. Of a write in which they differ, the one that changed counts and the
other follows; if both changed it is refused (EQ1114). A field or a key that is absent says nothing:
tools that do not know the field leave it out, and a manifest leaves out a key that it never had.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from elasticquota import names
from elasticquota.model.quota import Difference
from elasticquota.structs import Struct
from elasticquota.wire.codec import fields


class _Pair(Struct, frozen=True):
    """A field and its label; the texts are those that the label may have."""

    field: str
    key: str
    wanted: str
    text: Callable[[object], str]
    """What the label must be for a value of the field; empty: no such value."""
    value: Callable[[str], Any]
    """What the field must be for a text of the label; None: it has no meaning."""


def _name(value: object) -> str:
    return value if isinstance(value, str) and fields.label_value(value, "", []) else ""


PAIRS: Final = (
    _Pair("parent", names.PARENT, "the name of a quota", text=_name, value=lambda text: text),
)


class Followed(Struct, frozen=True):
    """What a write has to change besides, so that fields and keys say the same."""

    labels: Mapping[str, str]
    fields: Mapping[str, Any]


def differences(labels: Mapping[str, str], spec: object) -> tuple[Difference, ...]:
    """Return the fields whose label is absent or says something else."""
    found: list[Difference] = []
    if not isinstance(spec, dict):
        return ()
    for pair in PAIRS:
        if pair.field not in spec:
            continue  # the usual case
        text, written = pair.text(spec[pair.field]), labels.get(pair.key, "")
        if text and written != text:
            found.append(Difference(pair.field, pair.key, text, written))
    return tuple(found)


def stated(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields that the spec has."""
    return tuple(pair.field for pair in PAIRS if pair.field in spec)


def counting(labels: Mapping[str, str], different: Collection[Difference]) -> Mapping[str, str]:
    """Return the labels as they count: each says what its field says."""
    return {**labels, **{each.key: each.says for each in different}} if different else labels


def doubts(spec: Mapping[str, Any]) -> Iterator[str]:
    """Yield a warning for each field with a value that it cannot have, so that the key counts."""
    for pair in PAIRS:
        value = spec.get(pair.field)
        if value is not None and not pair.text(value):
            yield (
                f"spec.{pair.field}: must be {pair.wanted}, got {fields.shown(value)}; "
                f"label {pair.key} counts"
            )


def followed(
    labels: Mapping[str, str], spec: object, old_labels: Mapping[str, str], old_spec: object
) -> Followed:
    """Return what follows in an edit, or in a creation, of which everything old is empty."""
    before = old_spec if isinstance(old_spec, dict) else {}
    keys: dict[str, str] = {}
    moved: dict[str, Any] = {}
    by_field = {pair.field: pair for pair in PAIRS}
    for each in differences(labels, spec):
        pair = by_field[each.field]
        value = pair.value(each.written)
        if not each.written or each.written == old_labels.get(each.key):
            keys[each.key] = each.says
        elif pair.text(before.get(each.field)) == each.says and value is not None:
            moved[each.field] = value
    return Followed(keys, moved)


def patch(stored: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the merge patch that makes the keys of a stored quota say what its fields say.

    It holds for the stored version only: otherwise it could undo an edit. None: they do.
    """
    metadata = stored["metadata"]
    labels = {
        each.key: each.says
        for each in differences(metadata.get("labels") or {}, stored.get("spec"))
    }
    if not labels:
        return None
    return {"metadata": {"resourceVersion": metadata.get("resourceVersion"), "labels": labels}}

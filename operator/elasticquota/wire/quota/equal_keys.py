"""Fields of quotas and profiles that say the same as a key of Koordinator: which one counts.

The field counts where there is one, and its key is kept equal to it, so that Koordinator's tools
and ``kubectl -l`` see it. Of a write in which they differ, the one that changed counts and the
other follows; if both changed it is refused (EQ1114). A field or a key that is absent says nothing:
tools that do not know the field leave it out, and a manifest leaves out a key that it never had.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple, get_args

import msgspec

from elasticquota import names
from elasticquota.model.fault import Fault
from elasticquota.model.quota import KeyDifference, Place
from elasticquota.structs import Struct
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import ObjectMeta


NAMESPACE: Final = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
"""The name of a namespace."""
MOST_NAMESPACES: Final = 512
"""Of the field, so that its annotation can be read."""
_NAMESPACE: Final = re.compile(NAMESPACE)
_KEYS: Final = {**names.EQUAL_KEYS, **names.EQUAL_KEYS_OF_PROFILES}


class Keys(NamedTuple):
    """Labels and annotations of an object."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]

    def at(self, place: Place) -> Mapping[str, str]:
        """Return those of a place."""
        return self.labels if place == "labels" else self.annotations


class _FieldAndKey(Struct, frozen=True):
    """A field and its key; the texts are those that the key may have."""

    field: str
    wanted: str
    text: Callable[[object], str]
    """What the key must be for a value of the field; empty: no such value."""
    value: Callable[[str], Any]
    """What the field must be for a text of the key; None: it has no meaning."""
    meaning: Callable[[Any], object] = frozenset
    """What is equal for two values of an annotation that mean the same."""

    @property
    def place(self) -> Place:
        """Where the key is."""
        return "labels" if self.field in names.EQUAL_LABELS else "annotations"

    @property
    def key(self) -> str:
        """The key of Koordinator."""
        return _KEYS[self.field]

    def same(self, text: str, wanted: str) -> bool:
        """Whether a text of the key means the same as one that it may have."""
        if text == wanted or self.place == "labels":
            return text == wanted  # ``kubectl -l`` compares texts
        value = self.value(text)
        return value is not None and self.meaning(value) == self.meaning(self.value(wanted))


def _name(value: object) -> str:
    return value if isinstance(value, str) and fields.label_value(value, "", []) else ""


def _truth(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else ""


def _namespaces(value: object) -> str:
    return _names(value, MOST_NAMESPACES, lambda name: _NAMESPACE.fullmatch(name) is not None)


def _resources(value: object) -> str:
    return _names(value, amounts.MOST, fields.is_name)


def _names(value: object, most: int, is_name: Callable[[str], bool]) -> str:
    if not isinstance(value, list) or len(value) > most:
        return ""
    valid = all(isinstance(name, str) and is_name(name) for name in value)
    return msgspec.json.encode(value).decode() if valid else ""


def _listed(text: str) -> list[str] | None:
    faults: list[Fault] = []
    found = amounts.read_names(text, "", faults)
    return None if found is None or faults else list(found)


def _amounts(value: object) -> str:
    """As written, so that the API server sees equal quantities, too."""
    faults: list[Fault] = []
    amounts.read_field(value, "", faults)
    if not isinstance(value, dict) or faults:
        return ""
    return msgspec.json.encode({key: str(each) for key, each in sorted(value.items())}).decode()


def _weight(text: str) -> dict[str, str] | None:
    faults: list[Fault] = []
    if amounts.read_json(text, "", faults, amounts.MOST) is None or faults:
        return None
    return {key: str(each) for key, each in msgspec.json.decode(text).items()}


Pairs = Mapping[str, _FieldAndKey]
"""By field, those of one kind."""

_OF_QUOTAS: Final = (
    _FieldAndKey("parent", "the name of a quota", text=_name, value=lambda text: text),
    _FieldAndKey(
        "isParent", "true or false", text=_truth, value={"true": True, "false": False}.get
    ),
    _FieldAndKey("lends", "true or false", text=_truth, value={"true": True, "false": False}.get),
    _FieldAndKey("namespaces", "a list of namespaces", _namespaces, _listed),
    _FieldAndKey("weight", "a map of amounts", _amounts, _weight, meaning=amounts.stored),
)
QUOTA: Final[Pairs] = {pair.field: pair for pair in _OF_QUOTAS}
PROFILE: Final[Pairs] = {
    "resourceKeys": _FieldAndKey("resourceKeys", "a list of resources", _resources, _listed)
}


class EqualKeyChanges(Struct, frozen=True):
    """What a write has to change besides, so that fields and keys say the same."""

    keys: Keys
    fields: Mapping[str, Any]


def of(meta: ObjectMeta) -> Keys:
    """Return the keys of an object as decoded."""
    return Keys(meta.labels or {}, meta.annotations or {})


def of_document(document: Mapping[str, Any]) -> Keys:
    """Return the keys of a manifest; none of an empty one."""
    metadata = document.get("metadata") or {}
    return Keys(metadata.get("labels") or {}, metadata.get("annotations") or {})


def differences(keys: Keys, spec: object, pairs: Pairs = QUOTA) -> tuple[KeyDifference, ...]:
    """Return the fields whose key is absent or says something else."""
    if not isinstance(spec, dict):
        return ()
    found: list[KeyDifference] = []
    for field in stated(spec, pairs):
        pair = pairs[field]
        text, written = pair.text(spec[pair.field]), keys.at(pair.place).get(pair.key, "")
        if text and not pair.same(written, text):
            found.append(KeyDifference(pair.field, pair.key, text, written, pair.place))
    return tuple(found)


def stated(spec: Mapping[str, Any], pairs: Pairs = QUOTA) -> tuple[str, ...]:
    """Return the fields that the spec has."""
    if pairs.keys().isdisjoint(spec):
        return ()  # the usual case
    return tuple(field for field in pairs if field in spec)


def counting(keys: Keys, different: Collection[KeyDifference]) -> Keys:
    """Return the keys as they count: each says what its field says."""
    if not different:
        return keys
    said = _says(different)
    return Keys({**keys.labels, **said.labels}, {**keys.annotations, **said.annotations})


def said(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a stored quota says by field or key, without what is empty or false."""
    keys = of_document(document)
    keys = counting(keys, differences(keys, document.get("spec")))
    found = {
        each.field: each.value(keys.at(each.place).get(each.key, "")) for each in QUOTA.values()
    }
    return {field: value for field, value in found.items() if value}


def texts(values: Mapping[str, Any]) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Return labels and annotations that say the same as fields of a quota with these values.

    None means that the key must be absent, as the field of an empty or false value.
    """
    found: tuple[dict[str, str | None], dict[str, str | None]] = ({}, {})
    for field, value in values.items():
        pair = QUOTA[field]
        found[pair.place == "annotations"][pair.key] = pair.text(value) or None if value else None
    return found


def doubts(spec: Mapping[str, Any], pairs: Pairs = QUOTA) -> Iterator[Fault]:
    """Yield a warning for each field with a value that it cannot have, so that the key counts."""
    for pair in pairs.values():
        value = spec.get(pair.field)
        if value is not None and not pair.text(value):
            yield Fault(
                f"spec.{pair.field}",
                f"must be {pair.wanted}, got {fields.shown(value)}; {pair.place[:-1]} "
                f"{pair.key} counts",
            )


def followed(
    keys: Keys, spec: object, old_keys: Keys, old_spec: object, pairs: Pairs = QUOTA
) -> EqualKeyChanges:
    """Return what follows in an edit, or in a creation, of which everything old is empty."""
    before = old_spec if isinstance(old_spec, dict) else {}
    follow: list[KeyDifference] = []
    moved: dict[str, Any] = {}
    for each in differences(keys, spec, pairs):
        pair = pairs[each.field]
        value = pair.value(each.written)
        if not each.written or each.written == old_keys.at(each.place).get(each.key):
            follow.append(each)
        elif pair.same(pair.text(before.get(each.field)), each.says) and value is not None:
            moved[each.field] = value
    return EqualKeyChanges(_says(follow), moved)


def patch(stored: Mapping[str, Any], pairs: Pairs = QUOTA) -> dict[str, Any] | None:
    """Return the merge patch that makes the keys of a stored object say what its fields say.

    It holds for the stored version only: otherwise it could undo an edit. None: they do.
    """
    different = differences(of_document(stored), stored.get("spec"), pairs)
    if not different:
        return None
    version = {"resourceVersion": stored["metadata"].get("resourceVersion")}
    found = {place: said for place, said in _says(different)._asdict().items() if said}
    return {"metadata": {**version, **found}}


def _says(different: Collection[KeyDifference]) -> Keys:
    return Keys(
        *(
            {each.key: each.says for each in different if each.place == place}
            for place in get_args(Place)
        )
    )

"""Reading is total: any JSON value at any place of an object gives a value, never an exception.

Metadata is the exception that the API server makes impossible: it decodes the metadata of every
object itself and stores only what it understood. There, and for pods, whose shape it guarantees
too, a wrong type is refused by the decoder with its path.
"""

import copy
import pathlib
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elasticquota.wire.codec import fields
from elasticquota.wire.kubernetes import namespaces, nodes, pods
from elasticquota.wire.quota import profiles, quotas


Path = tuple[str | int, ...]

EXAMPLES: dict[str, dict[str, Any]] = msgspec.json.decode(
    (pathlib.Path(__file__).parents[2] / "fuzz" / "examples.json").read_bytes()
)
READERS: dict[str, tuple[Any, Any]] = {
    "quota": (quotas.QuotaManifest, quotas.read),
    "profile": (profiles.ProfileManifest, profiles.read),
    "node": (nodes.NodeManifest, nodes.read),
    "pod": (pods.PodManifest, pods.read),
    "namespace": (namespaces.NamespaceManifest, namespaces.read),
}


def places(value: Any, here: Path = ()) -> list[Path]:
    """The paths of everything inside a document."""
    inner: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    found: list[Path] = []
    for step, each in inner:
        found += [(*here, step), *places(each, (*here, step))]
    return found


def replaced(document: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    target: Any = changed
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return changed


TEXTS = st.text(st.characters(codec="utf-8"), max_size=80) | st.sampled_from(
    ["cpu", "1", "-1", "1e9", "0.5", "[]", "{}", "In", "x" * 70_000, '{"cpu": [', "\x00\u202e"]
)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.parametrize("kind", ["quota", "profile", "node"])
@settings(deadline=None, max_examples=60)
@given(data=st.data(), value=JSON)
def test_any_value_at_any_place_gives_an_object_of_the_same_name(
    kind: str, data: st.DataObject, value: Any
) -> None:
    manifest, read = READERS[kind]
    example = EXAMPLES[kind]
    path = data.draw(st.sampled_from([p for p in places(example) if p[0] != "metadata"]))
    changed = replaced(example, path, value)
    found = read(msgspec.json.decode(msgspec.json.encode(changed), type=manifest))
    assert found.name == "a" if kind == "node" else found.key == ("b", "a")
    assert read(msgspec.convert(changed, manifest)) == found
    for fault in map(str, getattr(found, "faults", ())):
        assert fault.isprintable()
        assert len(fault) < 700  # two resource names of the greatest length, and a sentence


@pytest.mark.parametrize("kind", READERS)
@settings(deadline=None, max_examples=60)
@given(data=st.data(), value=JSON)
def test_where_the_shape_is_guaranteed_a_value_is_read_or_refused_with_its_path(
    kind: str, data: st.DataObject, value: Any
) -> None:
    path = data.draw(st.sampled_from(places(EXAMPLES[kind])))
    why = refusal(kind, msgspec.json.encode(replaced(EXAMPLES[kind], path, value)))
    assert why is None or f"at `$.{path[0]}" in why


def refusal(kind: str, encoded: bytes) -> str | None:
    manifest, read = READERS[kind]
    try:
        read(msgspec.json.decode(encoded, type=manifest))
    except msgspec.ValidationError as error:
        return str(error)
    return None


@given(value=JSON)
def test_what_is_shown_is_short_and_printable(value: Any) -> None:
    shown = fields.shown(value)
    assert shown.isprintable()
    assert len(shown) <= 45

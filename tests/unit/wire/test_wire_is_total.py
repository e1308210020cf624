"""Reading is total: any JSON value at any place of an object gives a value, never an exception.

Metadata is the exception that the API server makes impossible: it decodes the metadata of every
object itself and stores only what it understood. There, and for pods, whose shape it guarantees
too, a wrong type is refused by the decoder with its path.
"""

import pathlib
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import json_values
from elasticquota.wire.codec import fields
from elasticquota.wire.kubernetes import namespaces, nodes, pods
from elasticquota.wire.quota import profiles, quotas


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


@pytest.mark.parametrize("kind", ["quota", "profile", "node"])
@settings(deadline=None, max_examples=60)
@given(data=st.data(), value=json_values.JSON)
def test_any_value_at_any_place_gives_an_object_of_the_same_name(
    kind: str, data: st.DataObject, value: Any
) -> None:
    manifest, read = READERS[kind]
    example = EXAMPLES[kind]
    path = data.draw(
        st.sampled_from([p for p in json_values.places(example) if p[0] != "metadata"])
    )
    changed = json_values.replaced(example, path, value)
    found = read(msgspec.json.decode(msgspec.json.encode(changed), type=manifest))
    assert found.name == "a" if kind == "node" else found.key == ("b", "a")
    assert read(msgspec.convert(changed, manifest)) == found
    for fault in map(str, getattr(found, "faults", ())):
        assert fault.isprintable()
        assert len(fault) < 700  # two resource names of the greatest length, and a sentence


@pytest.mark.parametrize("kind", READERS)
@settings(deadline=None, max_examples=60)
@given(data=st.data(), value=json_values.JSON)
def test_where_the_shape_is_guaranteed_a_value_is_read_or_refused_with_its_path(
    kind: str, data: st.DataObject, value: Any
) -> None:
    path = data.draw(st.sampled_from(json_values.places(EXAMPLES[kind])))
    why = refusal(kind, msgspec.json.encode(json_values.replaced(EXAMPLES[kind], path, value)))
    assert why is None or f"at `$.{path[0]}" in why


def refusal(kind: str, encoded: bytes) -> str | None:
    manifest, read = READERS[kind]
    try:
        read(msgspec.json.decode(encoded, type=manifest))
    except msgspec.ValidationError as error:
        return str(error)
    return None


@given(value=json_values.JSON)
def test_what_is_shown_is_short_and_printable(value: Any) -> None:
    shown = fields.shown(value)
    assert shown.isprintable()
    assert len(shown) <= 45

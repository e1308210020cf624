"""Whatever keys an object has, the warnings about them are few, short, and each on one line."""

from hypothesis import given
from hypothesis import strategies as st

from elasticquota.forest import nearest_names


_READ = sorted(
    {key for places in nearest_names.KEYS.values() for keys in places.values() for key in keys}
)
_KINDS: st.SearchStrategy[nearest_names.Kind] = st.sampled_from(list(nearest_names.KEYS))


@st.composite
def nearly(draw: st.DrawFn) -> str:
    """A key that is read, with a few characters replaced, left out or added."""
    key = draw(st.sampled_from(_READ))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(key)))
        key = key[:at] + draw(st.text(max_size=2)) + key[at + draw(st.integers(0, 2)) :]
    return key


_KEYS = st.lists(st.one_of(nearly(), st.text(max_size=400)), max_size=8, unique=True)


@given(_KINDS, _KEYS, _KEYS)
def test_warnings_are_few_short_and_on_one_line(
    kind: nearest_names.Kind, labels: list[str], annotations: list[str]
) -> None:
    found = nearest_names.of_keys(kind, labels, annotations)
    assert len(found) <= nearest_names.MOST
    assert all(line.isprintable() and len(line) <= 220 for line in found)
    for place, keys in nearest_names.KEYS[kind].items():
        assert not any(
            line.startswith(f"metadata.{place}s[{key}]:") for key in keys for line in found
        )


@given(_KINDS, _KEYS, _KEYS)
def test_the_order_of_keys_makes_no_difference(
    kind: nearest_names.Kind, labels: list[str], annotations: list[str]
) -> None:
    one = nearest_names.of_keys(kind, labels, annotations)
    assert one == nearest_names.of_keys(kind, labels[::-1], annotations[::-1])


@given(_KINDS, _KEYS)
def test_fields_are_judged_without_an_error(kind: nearest_names.Kind, fields: list[str]) -> None:
    found = nearest_names.of_fields(kind, dict.fromkeys(fields))
    assert len(found) <= nearest_names.MOST
    assert all(line.isprintable() for line in found)

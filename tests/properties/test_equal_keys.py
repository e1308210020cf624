"""Law: after admission a field and its key say the same, unless both changed or one is unreadable.

Asked again, admission changes nothing, and what counts is what changed.
"""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from elasticquota import names
from elasticquota.wire.quota import equal_keys
from elasticquota.wire.quota.equal_keys import Keys, Pairs


Side = tuple[Keys, dict[str, Any]]

_NAMES = st.sampled_from(("a", "b"))
_AMOUNTS = st.dictionaries(st.sampled_from(("cpu", "gpu")), st.sampled_from((1, "1", "2")))
_LISTED = st.sampled_from(("[]", '["a"]', '["b", "a"]', '["a","b"]', "[a"))
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "parent": _NAMES,
    "isParent": st.booleans(),
    "lends": st.booleans(),
    "namespaces": st.lists(_NAMES, max_size=2),
    "weight": _AMOUNTS,
    "resourceKeys": st.lists(_NAMES, max_size=2),
}
_TEXTS: dict[str, st.SearchStrategy[str]] = {
    "parent": _NAMES,
    "isParent": st.sampled_from(("true", "false", "True")),
    "lends": st.sampled_from(("true", "false", "no")),
    "namespaces": _LISTED,
    "weight": st.sampled_from(("{}", '{"cpu": 1}', '{"cpu":"2","gpu":"1000m"}', "{")),
    "resourceKeys": _LISTED,
}
_UNREADABLE = ("True", "no", "[a", "{")


ANNOTATIONS = names.EQUAL_ANNOTATIONS | names.EQUAL_KEYS_OF_PROFILES


def _keys(texts: dict[str, str]) -> Keys:
    return Keys(
        *(
            {key: texts[field] for field, key in place.items() if field in texts}
            for place in (names.EQUAL_LABELS, ANNOTATIONS)
        )
    )


def _written(pairs: Pairs) -> st.SearchStrategy[Side]:
    """Some fields and keys of an object of one kind."""
    texts, values = ({field: of[field] for field in pairs} for of in (_TEXTS, _VALUES))
    sides = (st.fixed_dictionaries({}, optional=some) for some in (texts, values))
    return st.tuples(*sides).map(lambda found: (_keys(found[0]), found[1]))


@st.composite
def edits(draw: st.DrawFn) -> tuple[Pairs, Side, Side]:
    """A quota or a profile, which admission has seen, and an edit of some fields and keys."""
    pairs = draw(st.sampled_from((equal_keys.QUOTA, equal_keys.PROFILE)))
    stored = admitted(draw(_written(pairs)), (Keys({}, {}), {}), pairs)
    (labels, annotations), spec = draw(_written(pairs))
    keys = Keys({**stored[0].labels, **labels}, {**stored[0].annotations, **annotations})
    kept = {field: stored[1][field] for field in stored[1] if draw(st.integers(0, 4))}
    return pairs, stored, (keys, {**kept, **(spec if draw(st.booleans()) else {})})


def admitted(written: Side, stored: Side, pairs: Pairs) -> Side:
    found = equal_keys.followed(*written, *stored, pairs)
    (labels, annotations), spec = written
    keys = Keys({**labels, **found.keys.labels}, {**annotations, **found.keys.annotations})
    return keys, {**spec, **found.fields}


def meaning(field: str, said: Any) -> Any:
    """What a value of a field, or a text of its key, means; None: nothing."""
    if field in names.EQUAL_LABELS:
        return str(said).lower() if isinstance(said, bool) else said
    try:
        found = json.loads(said) if isinstance(said, str) else said
    except ValueError:
        return None
    if isinstance(found, list):
        return set(found)
    return {key: 1 if each == "1000m" else int(each) for key, each in found.items()}


@settings(max_examples=400)
@given(edits())
def test_a_field_and_its_key_differ_where_they_mean_two_things(
    edit: tuple[Pairs, Side, Side],
) -> None:
    pairs, *sides = edit
    for keys, spec in sides:
        said = {**keys.labels, **keys.annotations}
        differ = {
            field
            for field, value in spec.items()
            if meaning(field, value) != meaning(field, said.get(pairs[field].key, ""))
        }
        assert {each.field for each in equal_keys.differences(keys, spec, pairs)} == differ


@settings(max_examples=400)
@given(edits())
def test_what_changed_alone_counts_for_both(edit: tuple[Pairs, Side, Side]) -> None:
    pairs, stored, written = edit
    after = admitted(written, stored, pairs)
    assert admitted(after, stored, pairs) == after
    left = {each.field for each in equal_keys.differences(*after, pairs)}
    for each in equal_keys.differences(*written, pairs):
        field, text = written[1][each.field], each.written
        if not text or text == stored[0].at(each.place).get(each.key):
            assert (after[1][each.field], each.field in left) == (field, False)
        elif each.field not in stored[1]:
            assert each.field in left  # both are new
        elif stored[1][each.field] == field:
            assert (each.field in left) is (text in _UNREADABLE)
            assert after[0].at(each.place)[each.key] == text


def test_the_law_is_about_every_pair_of_a_quota_and_of_a_profile() -> None:
    assert _VALUES.keys() == _TEXTS.keys() == {*equal_keys.QUOTA, *equal_keys.PROFILE}

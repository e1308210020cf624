"""Law: after admission a field and its key say the same, unless both changed or one is unreadable.

Asked again, admission changes nothing, and what counts is what changed.
"""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from elasticquota import names
from elasticquota.wire.quota import equal_keys
from elasticquota.wire.quota.equal_keys import Keys


Side = tuple[Keys, dict[str, Any]]

_NAMES = st.sampled_from(("a", "b"))
_AMOUNTS = st.dictionaries(st.sampled_from(("cpu", "gpu")), st.sampled_from((1, "1", "2")))
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "parent": _NAMES,
    "isParent": st.booleans(),
    "lends": st.booleans(),
    "namespaces": st.lists(_NAMES, max_size=2),
    "weight": _AMOUNTS,
}
_TEXTS: dict[str, st.SearchStrategy[str]] = {
    "parent": _NAMES,
    "isParent": st.sampled_from(("true", "false", "True")),
    "lends": st.sampled_from(("true", "false", "no")),
    "namespaces": st.sampled_from(("[]", '["a"]', '["b", "a"]', '["a","b"]', "[a")),
    "weight": st.sampled_from(("{}", '{"cpu": 1}', '{"cpu":"2","gpu":"1000m"}', "{")),
}
_UNREADABLE = ("True", "no", "[a", "{")


def _keys(texts: dict[str, str]) -> Keys:
    return Keys(
        *(
            {key: texts[field] for field, key in place.items() if field in texts}
            for place in (names.EQUAL_LABELS, names.EQUAL_ANNOTATIONS)
        )
    )


_WRITTEN = st.tuples(
    st.fixed_dictionaries({}, optional=_TEXTS), st.fixed_dictionaries({}, optional=_VALUES)
)


def _side(texts: dict[str, str], spec: dict[str, Any]) -> Side:
    return _keys(texts), spec


@st.composite
def edits(draw: st.DrawFn) -> tuple[Side, Side]:
    """A quota, which admission has seen, and an edit of some of its fields and keys."""
    nothing = Keys({}, {})
    stored = admitted(_side(*draw(_WRITTEN)), (nothing, {}))
    (labels, annotations), spec = _side(*draw(_WRITTEN))
    keys = Keys({**stored[0].labels, **labels}, {**stored[0].annotations, **annotations})
    kept = {field: stored[1][field] for field in stored[1] if draw(st.integers(0, 4))}
    return stored, (keys, {**kept, **(spec if draw(st.booleans()) else {})})


def admitted(written: Side, stored: Side) -> Side:
    found = equal_keys.followed(*written, *stored)
    (labels, annotations), spec = written
    keys = Keys({**labels, **found.keys.labels}, {**annotations, **found.keys.annotations})
    return keys, {**spec, **found.fields}


@given(edits())
def test_what_changed_alone_counts_for_both(edit: tuple[Side, Side]) -> None:
    stored, written = edit
    after = admitted(written, stored)
    assert admitted(after, stored) == after
    left = {each.field for each in equal_keys.differences(*after)}
    for each in equal_keys.differences(*written):
        field, text = written[1][each.field], each.written
        if not text or text == stored[0].at(each.place).get(each.key):
            assert (after[1][each.field], each.field in left) == (field, False)
        elif each.field not in stored[1]:
            assert each.field in left  # both are new
        elif stored[1][each.field] == field:
            assert (each.field in left) is (text in _UNREADABLE)
            assert after[0].at(each.place)[each.key] == text

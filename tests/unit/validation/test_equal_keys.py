"""EQ1114: a field and the key of Koordinator that says the same do not differ."""

import changes
import forests
from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.model.quota import KeyDifference
from elasticquota.structs import replace
from elasticquota.validation import chains, equal_keys
from elasticquota.validation.profile_change import ProfileChange


SENTENCE = (
    "spec.parent: 'a' and 'b' of metadata.labels[quota.scheduling.koordinator.sh/parent] must be "
    "the same. Leave the label out, or change only one of them, and the other follows. [EQ1114]"
)


def test_a_write_in_which_they_differ_is_refused_with_both_values() -> None:
    assert changes.lines(equal_keys.check, "a; b", "q<a label=b") == [SENTENCE]
    assert changes.lines(equal_keys.check, "a; b; q<a", "q<a label=b") == [SENTENCE]


def test_a_stored_difference_refuses_no_other_edit() -> None:
    assert changes.lines(equal_keys.check, "a; b; q<a label=b", "q<a label=b 5..") == []


def test_a_label_that_is_left_out_is_no_difference() -> None:
    assert changes.lines(equal_keys.check, "a", "q<a label=") == []


def test_field_and_key_of_a_profile_are_judged_alike() -> None:
    stored = Profile(Key("pools", "gpu"), uid="p", created="", quota_name="gpu-root")
    key = names.RESOURCE_KEYS
    said = KeyDifference("resourceKeys", key, '["cpu"]', '["memory"]', "annotations")
    new = replace(stored, differences=(said,))
    (found,) = equal_keys.check(ProfileChange(stored, new), forests.forest(""))
    assert found.line == (
        f"""spec.resourceKeys: '["cpu"]' and '["memory"]' of metadata.annotations[{key}] must be """
        "the same. Leave the annotation out, or change only one of them, and the other follows. "
        "[EQ1114]"
    )
    assert list(equal_keys.check(ProfileChange(new, new), forests.forest(""))) == []
    assert chains.judge_profile(ProfileChange(None, new), forests.forest("")).refused == (found,)


def test_a_deletion_passes() -> None:
    assert list(equal_keys.check(changes.removal("a; q<a label=b", "q"), forests.forest("a"))) == []

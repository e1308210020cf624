"""How a refusal reads."""

from elasticquota.forest import violation
from elasticquota.forest.violation import Violation


FAULT = Violation("EQ1104", "spec.min.cpu", "30 must be less than or equal to 12", "Lower it")


def test_a_refusal_is_subject_field_message_remedy_and_code() -> None:
    assert violation.render("ElasticQuota ns/a", [FAULT]) == (
        "ElasticQuota ns/a: spec.min.cpu: 30 must be less than or equal to 12. Lower it. [EQ1104]"
    )


def test_a_fault_of_the_whole_object_has_no_field() -> None:
    fault = Violation("EQ1111", "", "must not be deleted while it has children: b")
    assert violation.render("ElasticQuota ns/a", [fault]) == (
        "ElasticQuota ns/a: must not be deleted while it has children: b. [EQ1111]"
    )


def test_of_many_faults_five_are_reported_and_the_rest_is_counted() -> None:
    faults = [Violation("EQ1001", f"f{number}", "bad") for number in range(8)]
    assert violation.render("Q", faults) == (
        "Q: f0: bad. [EQ1001]; f1: bad. [EQ1001]; f2: bad. [EQ1001]; f3: bad. [EQ1001]; "
        "f4: bad. [EQ1001]; and 3 more"
    )


def test_lists_name_five_and_count_the_rest() -> None:
    assert violation.listed("abc") == "a, b, c"
    assert violation.listed("abcdefg") == "a, b, c, d, e and 2 more"
    assert violation.listed("abcdefg", more=True) == "a, b, c, d, e and at least 2 more"
    assert violation.listed("ab", more=True) == "a, b and more"


def test_control_characters_never_reach_a_terminal() -> None:
    fault = Violation("EQ1101", "metadata.labels[x]", "there is no quota 'a\n\x1b[31mb'")
    assert fault.line == "metadata.labels[x]: there is no quota 'a??[31mb'. [EQ1101]"

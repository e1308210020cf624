"""How a refusal reads, and whether it is without end, for now or for the object as it is."""

import pytest

import changes
import forests
from changes import Rule
from elasticquota.forest import bound_namespaces, violation
from elasticquota.forest.violation import Violation
from elasticquota.validation import child_namespaces, naming, parentage
from elasticquota.validation.stored import added


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


@pytest.mark.parametrize(
    ("rule", "before", "entry", "kind"),
    [
        (added(bound_namespaces.check), "a binds=x", "b binds=x", "conflict"),
        (child_namespaces.check, "dept parent adopts=x", "a<dept ns=other", "forbidden"),
        (naming.check, "dept parent", "koordinator-default-quota<dept", "forbidden"),
        (naming.check, "a", "koordinator-root-quota 5..", "forbidden"),
        (naming.check, "a ns=one", "a ns=two", "invalid"),
        (parentage.check, "", "a<ghost", "invalid"),
    ],
)
def test_a_refusal_says_whether_another_object_would_be_accepted_now_later_or_never(
    rule: Rule, before: str, entry: str, kind: str
) -> None:
    (found,) = rule(changes.change(before, entry), forests.forest(before))
    assert found.kind == kind

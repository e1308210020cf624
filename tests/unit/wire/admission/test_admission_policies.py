"""A binding puts a policy into force as the release made it, or it is said how it does not."""

from typing import Any

import msgspec
import pytest

from elasticquota.wire.admission import admission_policies
from elasticquota.wire.admission.admission_policies import (
    MUTATING,
    VALIDATING,
    BindingManifest,
    InstalledPolicy,
    PolicyObject,
)


DENIES = InstalledPolicy(VALIDATING, "eq-gate", "eq-gate", ("Deny",))
WARNS = InstalledPolicy(VALIDATING, "eq-schedulers", "eq-schedulers-warning", ("Warn",))
MUTATES = InstalledPolicy(MUTATING, "eq-gate", "eq-gate")


def fault(made: InstalledPolicy, **spec: Any) -> str:
    manifest = {"metadata": {"name": made.binding}, "spec": {"policyName": made.name, **spec}}
    binding = msgspec.convert(manifest, BindingManifest)
    policy, bound = admission_policies.judged(made, stored=True, binding=binding)
    assert policy.fault == ""
    return bound.fault


def test_what_is_gone_is_named_by_kind_and_name() -> None:
    assert admission_policies.judged(WARNS, stored=False, binding=None) == (
        PolicyObject("ValidatingAdmissionPolicy", "eq-schedulers", "it is gone"),
        PolicyObject("ValidatingAdmissionPolicyBinding", "eq-schedulers-warning", "it is gone"),
    )
    policy, binding = admission_policies.judged(MUTATES, stored=True, binding=None)
    assert (policy.fault, binding.fault) == ("", "it is gone")
    assert binding.kind == "MutatingAdmissionPolicyBinding"


def test_a_binding_as_the_release_made_it_has_no_fault() -> None:
    assert fault(DENIES, validationActions=["Deny"]) == ""
    assert fault(WARNS, validationActions=["Warn"]) == ""
    assert fault(MUTATES) == ""


def test_the_order_of_actions_says_nothing() -> None:
    both = InstalledPolicy(VALIDATING, "eq-gate", "eq-gate", ("Deny", "Audit"))
    assert fault(both, validationActions=["Audit", "Deny"]) == ""


SOME = {"namespaceSelector": {"matchLabels": {"a": "b"}}}


@pytest.mark.parametrize(
    ("made", "spec", "said"),
    [
        (DENIES, {"validationActions": ["Warn"]}, "its validationActions are Warn instead of Deny"),
        (DENIES, {"validationActions": None}, "its validationActions are none instead of Deny"),
        (
            DENIES,
            {"validationActions": ["Warn", "Deny"]},
            "its validationActions are Deny, Warn instead of Deny",
        ),
        (
            WARNS,
            {"validationActions": ["Audit"]},
            "its validationActions are Audit instead of Warn",
        ),
        (MUTATES, {"policyName": "other"}, "it binds the policy 'other' instead of 'eq-gate'"),
        (
            MUTATES,
            {"matchResources": SOME},
            "its matchResources leave out requests that the policy is about",
        ),
    ],
)
def test_a_binding_that_does_less_says_how(
    made: InstalledPolicy, spec: dict[str, Any], said: str
) -> None:
    assert fault(made, **spec) == said

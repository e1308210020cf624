"""Whether a policy of the release is in force: it is stored, and its binding is as it was made.

What a policy says is not compared: the API server fills in defaults, and other tools add labels.
"""

from typing import Any, Final

import msgspec

from elasticquota.structs import Struct
from elasticquota.wire.codec.metadata import ObjectMeta


VALIDATING: Final = "ValidatingAdmissionPolicy"
MUTATING: Final = "MutatingAdmissionPolicy"


class InstalledPolicy(Struct, frozen=True):
    """A policy that the release made, and how its binding puts it into force."""

    kind: str
    """`VALIDATING` or `MUTATING`; the kind of its binding ends with ``Binding``."""
    name: str
    binding: str
    """The name of its binding."""
    actions: tuple[str, ...] = ()
    """``validationActions`` of the binding; a mutating policy has none."""

    @property
    def binding_kind(self) -> str:
        """The kind of its binding."""
        return f"{self.kind}Binding"


class BindingSpec(msgspec.Struct, rename="camel", gc=False):
    """The part of the ``spec`` of a binding that decides what its policy does."""

    policy_name: str = ""
    validation_actions: list[str] | None = None
    match_resources: Any = None


class BindingManifest(msgspec.Struct, gc=False):
    """The part of a binding that is read."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: BindingSpec = msgspec.field(default_factory=BindingSpec)


class PolicyObject(Struct, frozen=True):
    """A policy or a binding that the release made."""

    kind: str
    name: str
    fault: str
    """Why it is not in force as the release made it; empty: it is."""


GONE: Final = "it is gone"


def judged(
    made: InstalledPolicy, *, stored: bool, binding: BindingManifest | None
) -> tuple[PolicyObject, PolicyObject]:
    """Compare a policy and its binding with what is ``stored``; no ``binding``: it is gone."""
    return (
        PolicyObject(made.kind, made.name, "" if stored else GONE),
        PolicyObject(made.binding_kind, made.binding, _fault(made, binding)),
    )


def _fault(made: InstalledPolicy, binding: BindingManifest | None) -> str:
    if binding is None:
        return GONE
    spec = binding.spec
    if spec.policy_name != made.name:
        return f"it binds the policy '{spec.policy_name}' instead of '{made.name}'"
    actions = spec.validation_actions or ()
    if set(actions) != set(made.actions):
        said, meant = (", ".join(sorted(each)) or "none" for each in (actions, made.actions))
        return f"its validationActions are {said} instead of {meant}"
    if spec.match_resources is not None:
        return "its matchResources leave out requests that the policy is about"
    return ""

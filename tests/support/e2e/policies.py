"""The first words of refusals by the chart's policies, and a cluster without one of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from users import User


BINDING: Final = "ValidatingAdmissionPolicyBinding"


@contextmanager
def unbound(admin: User, name: str) -> Iterator[None]:
    """The binding of the policy ``name`` is deleted, and made again as helm made it."""
    stored = admin.get(BINDING, f"elastic-quota-{name}")
    admin.delete(BINDING, f"elastic-quota-{name}")
    metadata = stored["metadata"]
    kept = {key: metadata[key] for key in ("name", "labels", "annotations") if key in metadata}
    try:
        yield
    finally:
        manifest = {"apiVersion": stored["apiVersion"], "kind": BINDING, "metadata": kept}
        admin.apply({**manifest, "spec": stored["spec"]}, manager="helm")


def refusal(name: str, what: str) -> str:
    """A refusal by the policy ``name``, of a write to ``what``, such as ``pods "a"``."""
    return (
        f"{what} is forbidden: ValidatingAdmissionPolicy 'elastic-quota-{name}' with binding "
        f"'elastic-quota-{name}' denied request: "
    )


def on_quota(name: str, quota: str) -> str:
    """A refusal by the policy ``name``, of a write to the quota ``quota``."""
    return refusal(name, f'elasticquotas.scheduling.sigs.k8s.io "{quota}"')

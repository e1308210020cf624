"""A namespace: whether it is terminating, so no pod in it is admitted, and its quota label."""

from elasticquota.structs import Struct


class Namespace(Struct, frozen=True):
    """One namespace as read."""

    name: str
    terminating: bool = False
    quota: str | None = None
    """The value of its label ``names.NAMESPACE_QUOTA``, from any writer; None: no label."""
    available_quotas: tuple[str, ...] | None = None
    """The quotas that its jobs may name (``names.AVAILABLE_QUOTA``); None: no annotation."""

"""Which cluster a user means, and as whom: the options that all programs of Kubernetes share."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Login:
    """What a user says on the command line; empty values are left to the kubeconfig files."""

    kubeconfig: Path | None = None
    """The only file to read, instead of those that ``KUBECONFIG`` names."""
    context: str = ""
    namespace: str = ""

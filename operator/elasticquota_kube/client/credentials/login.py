"""Which cluster a user means, and as whom: the options that all programs of Kubernetes share."""

from pathlib import Path

from elasticquota.structs import Struct


class CredentialsError(Exception):
    """No usable credentials; the text says what was searched or is wrong, and what to do."""


class Login(Struct, frozen=True):
    """What a user says on the command line; empty values are left to the kubeconfig files."""

    kubeconfig: Path | None = None
    """The only file to read, instead of those that ``KUBECONFIG`` names."""
    context: str = ""
    cluster: str = ""
    user: str = ""
    namespace: str = ""
    impersonate: str = ""
    """The user to act as (``--as``)."""
    groups: tuple[str, ...] = ()
    """The groups to act as (``--as-group``)."""
    plugins: bool = False
    """Whether credential plugins may run. A controller starts no programs that a file names."""

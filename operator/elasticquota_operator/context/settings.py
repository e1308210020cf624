"""The configuration in force. A reload replaces it, and parts see the new one."""

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota_config.model import Configuration


class Settings:
    """``home`` is the namespace of the operator, in which quotas of external systems are made."""

    def __init__(self, configuration: Configuration, home: str) -> None:
        self.home = home
        self.replace(configuration)

    def replace(self, configuration: Configuration) -> None:
        """Put another configuration into force."""
        self.configuration = configuration
        self.policy = configuration.policy(self.home)
        """Of decisions."""

    @property
    def accounting(self) -> Accounting:
        """How the ledger counts."""
        return self.policy.accounting

    @property
    def writes_quotas(self) -> bool:
        """Whether quota objects are ours to write."""
        return not self.configuration.beside_koordinator

    @property
    def writes_annotations(self) -> bool:
        """Whether Koordinator's annotations are ours to write."""
        return self.configuration.compat_annotations and self.writes_quotas

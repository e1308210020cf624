"""What the chart made of the API server's admission policies, as rows of the configuration."""

from typing import Literal

from elasticquota.wire.admission.admission_policies import InstalledPolicy
from elasticquota_config.fields.section import Section
from elasticquota_config.sections.names import Name


class PolicySection(Section, frozen=True):
    """A policy of the release, and its binding."""

    kind: Literal["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"]
    name: Name
    binding: Name
    actions: tuple[Literal["Deny", "Warn", "Audit"], ...] = ()

    def row(self) -> InstalledPolicy:
        """Convert to the value of the core package."""
        return InstalledPolicy(self.kind, self.name, self.binding, self.actions)

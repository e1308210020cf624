"""What the parts of the controller share, as in kube-controller-manager's ``ControllerContext``."""

from collections.abc import Callable, Sequence

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.unread import Unread
from elasticquota.structs import Struct
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.events import Recorder
from elasticquota_operator.context.backlog import Backlog
from elasticquota_operator.context.manifest_store import ManifestStore
from elasticquota_operator.context.outcomes import Outcomes
from elasticquota_operator.context.settings import Settings
from elasticquota_operator.pages.metrics import Telemetry


class ControllerContext(Struct, frozen=True, kw_only=True):
    """Passed to each part as it is; a part keeps what it needs."""

    api: Api
    recorder: Recorder
    settings: Settings
    ledger: Ledger
    quotas: ManifestStore
    profiles: ManifestStore
    touch: Callable[[], None]
    """Wakes the engine."""
    leading: Callable[[], bool]
    telemetry: Telemetry
    backlog: Backlog
    outcomes: Outcomes

    def unread(
        self, resources: Sequence[Resource], served: tuple[str, ...], adapter: str = ""
    ) -> None:
        """Take in the versions of a kind that are served instead of ``resources``; (): none.

        ``adapter`` is that of ``pod_groups`` whose pods wait for it.
        """
        definition = f"{resources[0].plural}.{resources[0].group}"
        read = tuple(resource.version for resource in resources)
        self.ledger.note_unread(Unread(definition, served, read, adapter))
        self.telemetry.definition_is(definition, not served)
        self.touch()

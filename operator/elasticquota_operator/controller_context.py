"""What the parts of the controller share, as in kube-controller-manager's ``ControllerContext``."""

from collections.abc import Callable

from elasticquota.ledger.ledger import Ledger
from elasticquota.structs import Struct
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.events import Recorder
from elasticquota_operator.informers.manifest_store import ManifestStore


class ControllerContext(Struct, frozen=True, kw_only=True):
    """Passed to each part as it is; a part keeps what it needs."""

    api: Api
    ledger: Ledger
    quotas: ManifestStore
    profiles: ManifestStore
    recorder: Recorder
    touch: Callable[[], None]
    """Wakes the engine."""
    leading: Callable[[], bool]
    home: str
    """The namespace of the operator, in which quotas of external systems are made."""
    on_restart: Callable[[Resource, str], None] = lambda _resource, _why: None
    """Called when a watch is lost, with the reason."""

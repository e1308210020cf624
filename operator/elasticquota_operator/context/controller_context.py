"""What the parts of the controller share, as in kube-controller-manager's ``ControllerContext``."""

from collections.abc import Callable, Sequence

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.unread import Unread
from elasticquota.structs import Struct
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.events import Recorder
from elasticquota_operator.context.manifest_store import ManifestStore


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
    on_definition: Callable[[str, bool], None] = lambda _definition, _read: None
    """Called with plural and group of a kind, and whether it is served in a version that is read,
    or not at all."""
    on_dropped: Callable[[Resource, int], None] = lambda _resource, _fields: None
    """Called with a kind of ours, and how many of its fields the definition lacks."""

    def unread(
        self, resources: Sequence[Resource], served: tuple[str, ...], adapter: str = ""
    ) -> None:
        """Take in the versions of a kind that are served instead of ``resources``; (): none.

        ``adapter`` is that of ``pod_groups`` whose pods wait for it.
        """
        definition = f"{resources[0].plural}.{resources[0].group}"
        read = tuple(resource.version for resource in resources)
        self.ledger.note_unread(Unread(definition, served, read, adapter))
        self.on_definition(definition, not served)
        self.touch()

"""On which nodes the pods of each quota run, as the controller has it: for pods that it releases
no more.
"""

from collections.abc import Sequence

from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.ledger import Ledger
from elasticquota.structs import Struct
from elasticquota.wire.admission import patch
from elasticquota.wire.admission.review import Operation
from elasticquota.wire.kubernetes import pods
from elasticquota.wire.kubernetes.pods import PodManifest
from elasticquota.wire.quota import profiles, quotas
from elasticquota_cli.failures import refusal
from elasticquota_cli.failures.failure import Failure
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import PROFILES, QUOTAS
from elasticquota_kube.client.rest.errors import ApiError


class ListedTreeNodes(Struct, frozen=True):
    """The nodes of all trees, or why they are not known."""

    cluster: ClusterSnapshot
    unread: str = ""
    """Why quotas or profiles may not be read; empty: they are known."""

    def lacking(self, pod: PodManifest) -> Sequence[Operation]:
        """The patch that adds what the pod's affinity lacks of the nodes of its quota."""
        spec = pod.spec or pods.PodSpec()
        selector = self.cluster.nodes(self.cluster.members.quota_of(pods.read(pod)))
        return patch.affinity(spec.node_selector, spec.affinity, selector)


async def read(api: Api) -> ListedTreeNodes:
    """Read all quotas and profiles; raises `Failure`, but not where the user may not list them."""
    ledger, unread = Ledger(), ""
    try:
        for profile in await api.list(PROFILES, into=profiles.ProfileManifest):
            ledger.upsert_profile(profiles.read(profile))
        for quota in await api.list(QUOTAS, into=quotas.QuotaManifest):
            ledger.upsert_quota(quotas.read(quota))
    except ApiError as error:
        if error.is_forbidden:
            ledger, unread = Ledger(), error.message
        elif not error.is_not_found:  # without the kinds there are no trees
            raise Failure(
                f"cannot read the nodes of the trees; nothing was released: {refusal.of(error)}"
            ) from None
    return ListedTreeNodes(ledger.update(Accounting()), unread)

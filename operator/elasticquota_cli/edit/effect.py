"""What an edit starts, holds or evicts: the summary of ``plan``, for the question before it."""

from typing import Final

from elasticquota.model.key import Key
from elasticquota_cli.edit.edit import Edit
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.live.listing import Cluster
from elasticquota_cli.plan import assessment, live
from elasticquota_cli.plan.live import Closed
from elasticquota_cli.simulate import documents, trial
from elasticquota_cli.simulate.objects import Objects, Placed
from elasticquota_kube.client.api import Document
from elasticquota_kube.client.paths import PROFILES


_UNKNOWN: Final = "what it starts or evicts is not known"


def of(cluster: Cluster, edit: Edit, after: Document) -> str:
    """One sentence about the cluster as it is now; ``after`` is the object as it would be stored.

    A fault in what is read keeps no edit: the sentence names it.
    """
    try:
        objects = live.read(cluster, None)
        if isinstance(objects, Closed):
            return f"{_UNKNOWN}: you may not read {', '.join(objects.plurals)} in all namespaces"
        placed = Placed(
            Key(edit.namespace, edit.name), documents.Document(after, "the edited object", 1)
        )
        profiles = [placed] if edit.resource == PROFILES else []
        quotas = [] if profiles else [placed]
        return assessment.of(trial.of(objects), Objects(profiles=profiles, quotas=quotas)).summary
    except Failure as failure:
        return f"{_UNKNOWN}: {failure}"

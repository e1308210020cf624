"""The pods of files, with decisions made on them."""

from collections.abc import Sequence
from pathlib import Path

from elasticquota.model.key import Key
from elasticquota_cli import config
from elasticquota_cli.explain import files, moment
from elasticquota_cli.explain import pod as computed
from elasticquota_cli.why.namespace_pods import NamespacePods, Seen


def of(paths: Sequence[str], configuration: Path | None, key: Key) -> tuple[NamespacePods, Key]:
    """The pods of the namespace of ``key``, which is returned whole; raises `Failure`."""
    key = Key(key.namespace or files.NAMESPACE, key.name)
    inputs = files.read(paths, config.chosen(configuration))
    now = moment.of(inputs)
    places = {wait.uid: wait.place for wait in now.now.waits}
    seen = [
        Seen(pod, inputs.owners.get(pod.key), places.get(pod.uid, 0))
        for pod in inputs.ledger.pods.values()
        if pod.key.namespace == key.namespace
    ]
    return NamespacePods(seen, lambda asked: computed.explain(inputs, now, asked), {}), key

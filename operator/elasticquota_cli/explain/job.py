"""Finds a queued job by its name."""

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota_cli import nearest
from elasticquota_cli.failure import Failure


def find(ledger: Ledger, kind: str, key: Key) -> Key:
    """The key of the job in the ledger; ``kind`` may be empty. Raises `Failure`."""
    standing = [(queued.name.partition(" "), queued.key) for queued in ledger.jobs.values()]
    found = {
        f"{its_kind}/{its_key}": place
        for (its_kind, _, its_key), place in standing
        if its_key == str(key) and kind.lower() in ("", its_kind.lower())
    }
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise Failure(f"several jobs have this name: ask for {' or '.join(sorted(found))}")
    hint = nearest.hint(str(key), (its_key for (_, _, its_key), _ in standing))
    raise Failure(
        f"no job {key} is queued{hint}: it has ended or is in back-off, no quota binds it, or jobs "
        f"are not queued; kubectl get queueunits -n {key.namespace} shows queued jobs"
    )

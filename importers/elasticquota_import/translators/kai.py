"""Translates KAI Scheduler's Queues: one quota each, with the name of the queue.

min is ``quota``, max is ``limit``, and the shared weight is ``overQuotaWeight``, for each of cpu,
memory and GPUs. A number that is not written is 0 there, so without a limit a queue may use
nothing. An unlimited quota cannot be a min, because guarantees have to be numbers: it is left out.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from elasticquota import quantity, resources
from elasticquota.integrations.translation import assembly, translation
from elasticquota.integrations.translation.translation import Draft, Translation, TranslationWarning
from elasticquota.resources import Resources
from elasticquota.wire.codec import fields
from elasticquota_import.manifests import kai_queues
from elasticquota_import.manifests.kai_queues import KaiQueue
from elasticquota_import.translators import lineage, weights


HOME: Final = "kube-system"
DIALECT: Final = "kai"


def translate(
    queues: Iterable[KaiQueue], home: str = HOME, spaces: Collection[str] = frozenset()
) -> Translation:
    """Translate the queues; the quotas are in ``home``, and none has a name in ``spaces``."""
    warnings: list[TranslationWarning] = []
    chosen = lineage.named(queues, lambda each: each.name, _source, warnings)
    parents = {name: each.parent for name, each in chosen.items()}
    paths, faults = lineage.trace(parents)
    for name, text in faults.items():
        warnings.append(TranslationWarning(_source(chosen[name]), "spec.parentQueue", text))
    inner = set(parents.values())
    by = weights.divisor(amount for each in chosen.values() for amount in each.weight.values())
    drafts = []
    for name, path in paths.items():
        queue = chosen[name]
        warnings += translation.of_faults(_source(queue), queue.faults)
        draft = Draft(
            path,
            _source(queue),
            "spec",
            home,
            origin=origin(name),
            name=name,
            min=queue.quota,
            max={key: queue.limit.get(key, resources.unlimited(key)) for key in queue.weight},
            is_parent=name in inner,
            shared_weight=_weight(queue, by),
            allow_lent=not _keeps_all(queue),
        )
        warnings += _warnings(queue, draft)
        drafts.append(draft)
    return assembly.build(drafts, warnings, spaces)


def origin(name: str) -> str:
    """The origin annotation of the quota that is made from the queue."""
    return f"{DIALECT}:{name}"


def _source(queue: KaiQueue) -> str:
    return f"{kai_queues.QUEUE} {fields.shown_key(queue.name)}"


def _weight(queue: KaiQueue, by: int) -> Resources:
    found: dict[str, int] = {}
    for key, amount in queue.weight.items():
        found |= weights.shared(amount, (key,), by)
    return found


def _keeps_all(queue: KaiQueue) -> bool:
    promised = resources.positive(queue.quota)
    return bool(promised) and all(queue.lending.get(key) == 0 for key in promised)


def _warnings(queue: KaiQueue, draft: Draft) -> Iterator[TranslationWarning]:
    source = draft.source
    for where in queue.cut:
        yield TranslationWarning(source, where, "is no whole number of units; rounded down")
    for other in queue.others:
        yield draft.warning(other, "is not taken over")
    for theirs, (key, _) in kai_queues.RESOURCES.items():
        at = f"resources.{theirs}"
        if key not in queue.quota:
            text = "-1 means that all its pods are within quota; no min can say that, so it is 0"
            yield draft.warning(f"{at}.quota", text)
        room = queue.limit.get(key, draft.min.get(key, 0) + 1) > draft.min.get(key, 0)
        if queue.weight.get(key) == 0 and room:
            text = "0 means last of all; here it is the smallest weight, 0.001"
            yield draft.warning(f"{at}.overQuotaWeight", text)
        has = queue.quota.get(key, 0)
        lent = queue.lending.get(key, has)
        if draft.allow_lent and lent < has:
            text = (
                f"lends at most {quantity.text(key, lent)} of {quantity.text(key, has)} there; "
                "here all of it is lent, and reclaimed when it is needed"
            )
            yield draft.warning(f"{at}.lendingLimit", text)
    if queue.priority != kai_queues.USUAL_PRIORITY:
        text = f"{queue.priority} is not taken over: between quotas the smaller share goes first"
        yield draft.warning("priority", text)

"""Priority classes, for jobs whose pods name one: admission looks them up only for pods."""

from collections.abc import Callable

import msgspec

from elasticquota.jobs.job import Job
from elasticquota.model.key import Key
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.informer.store import Store
from elasticquota_operator.informers.crd_informer import CrdInformer


class PriorityClassManifest(msgspec.Struct, rename="camel", gc=False):
    """A PriorityClass."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    value: int = 0
    global_default: bool = False


class PriorityClasses(CrdInformer[PriorityClassManifest]):
    """``run()`` as a task; ``filled`` once all classes were read, or may not be."""

    def __init__(self, api: Api, touch: Callable[[], None]) -> None:
        self._classes: Store[PriorityClassManifest, PriorityClassManifest] = Store(
            lambda obj: obj, lambda *_: touch(), on_synced=touch
        )
        super().__init__(
            api, [paths.PRIORITY_CLASSES], PriorityClassManifest, lambda _: self._classes
        )

    def value(self, name: str) -> int:
        """The value of a class; 0 if there is none."""
        found = self._classes.get(Key("", name))
        return 0 if found is None else found.value

    def of(self, job: Job) -> int:
        """The priority that the pods of ``job`` will have."""
        if job.priority is not None:
            return job.priority
        found = self._classes.get(Key("", job.priority_class))
        if found is None and not job.priority_class:
            defaults = (each for each in self._classes.list() if each.global_default)
            found = min(defaults, key=lambda each: each.value, default=None)
        return 0 if found is None else found.value

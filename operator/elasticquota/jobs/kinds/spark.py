"""Reads a SparkApplication, which has cores, memory and overhead instead of pod templates.

The rules are from Spark's "Running on Kubernetes" and "Configuration". A pod requests
``coreRequest``, else ``cores`` (1), and its memory (1g) plus an overhead. The overhead is a tenth
of the memory (four tenths for Python and R) and at least 384 MiB. Executors of Python also request
Python's own memory. A size without a unit is in MiB.

Not read: what ``sparkConf`` says about cores, memory and the number of executors; the fields of the
application are meant for that.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from elasticquota import names, quantity
from elasticquota.jobs import paths, pod_sets
from elasticquota.jobs.adapter import JobPodSet, PodPaths
from elasticquota.model.fault import Fault
from elasticquota.structs import replace
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.kubernetes import pod_templates


_SIZE: Final = re.compile(r"(?P<number>[0-9]{1,15})(?:(?P<unit>[kmgtp])b?|(?P<bytes>b))?", re.ASCII)
_SHIFT: Final = {"b": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}
_MIB: Final = 20

_MEMORY: Final = 1024
_LEAST_OVERHEAD: Final = 384
_FACTOR: Final = {"Java": "0.1", "Scala": "0.1", "Python": "0.4", "R": "0.4"}
_LARGEST_FACTOR: Final = 1000 * quantity.NANO
_MOST_SIDECARS: Final = 256

_DRIVER: Final = PodPaths("spec.driver", name="driver")
_INSTANCES: Final = "spec.executor.instances"
_FIXED: Final = PodPaths("spec.executor", name="executor", count=_INSTANCES, missing=2)
_GROWN: Final = PodPaths("spec.executor", name="executor", count=_INSTANCES, missing=0)
_DYNAMIC: Final = PodPaths(
    "spec.executor",
    name="executor",
    count="spec.dynamicAllocation.initialExecutors",
    missing=0,
    least="spec.dynamicAllocation.minExecutors",
)


def read(document: Any, faults: list[Fault]) -> tuple[JobPodSet, ...]:
    """The pod sets of the driver and of the executors that the application starts with."""
    factor = _factor(document, faults)
    sets = []
    dynamic = paths.value(document, "spec.dynamicAllocation.enabled") is True
    executors = _DYNAMIC if dynamic else _FIXED
    for row, beside in ((_DRIVER, 0), (executors, _beside(document, faults))):
        (entry,) = paths.entries(document, row.template)
        where = row.template
        written = fields.mapping(entry.at(where), where, faults)
        requests = _requests(written, where, factor, beside, faults)
        inner: list[Fault] = []
        template = pod_templates.read(_template(written, where, requests, faults), where, inner)
        faults += [_as_written(fault, where) for fault in inner]
        count, least = pod_sets.counts(row, entry, faults)
        if row is _DYNAMIC:
            count = max(count, pod_sets.counts(_GROWN, entry, faults)[0])
        sets.append(JobPodSet(row.name, where, count, least, template))
    return tuple(sets)


def _requests(
    written: Mapping[str, Any], where: str, factor: int, beside: int, faults: list[Fault]
) -> dict[str, str]:
    """The requests of Spark's container."""
    field = "cores" if written.get("coreRequest") is None else "coreRequest"
    cores = 1 if written.get(field) is None else written[field]
    memory = _mib(written.get("memory"), _MEMORY, f"{where}.memory", faults)
    usual = max(memory * factor // quantity.NANO, _LEAST_OVERHEAD)
    overhead = _mib(written.get("memoryOverhead"), usual, f"{where}.memoryOverhead", faults)
    requested = {
        names.CPU: amounts.read_one(names.CPU, cores, f"{where}.{field}", faults),
        names.MEMORY: (memory + overhead + beside) << _MIB,
    }
    gpu = fields.mapping(written.get("gpu"), f"{where}.gpu", faults)
    if fields.is_name(name := gpu.get("name")):
        requested[name] = amounts.read_one(
            name, gpu.get("quantity"), f"{where}.gpu.quantity", faults
        )
    return {
        key: quantity.text(key, amount) for key, amount in requested.items() if amount is not None
    }


def _template(
    written: Mapping[str, Any], where: str, requests: dict[str, str], faults: list[Fault]
) -> dict[str, Any]:
    """The parts of Spark's pod template that concern sizes; sidecars come first."""
    sidecars = fields.sequence(written.get("sidecars"), f"{where}.sidecars", faults, _MOST_SIDECARS)
    return {
        "metadata": {"labels": written.get("labels")},
        "spec": {
            "containers": [*sidecars, {"resources": {"requests": requests}}],
            "initContainers": written.get("initContainers"),
            "priorityClassName": written.get("priorityClassName"),
        },
    }


def _as_written(fault: Fault, where: str) -> Fault:
    """The fault with its path in the application, instead of that in the template."""
    made = re.compile(rf"{re.escape(where)}\.(?:spec|metadata)\.")
    path = made.sub(f"{where}.", fault.path, count=1)
    return replace(fault, path=path.replace(".containers[", ".sidecars[", 1))


def _factor(document: Any, faults: list[Fault]) -> int:
    """The factor of the overhead, in billionths of the memory."""
    kind = paths.value(document, "spec.type")
    usual = quantity.parse(_FACTOR.get(kind, "0.4") if isinstance(kind, str) else "0.4")
    where = "spec.memoryOverheadFactor"
    written = paths.value(document, where)
    if written is None:
        return usual
    try:
        factor = quantity.parse(written) if isinstance(written, str) else -1
    except quantity.QuantityError:
        factor = -1
    if 0 <= factor <= _LARGEST_FACTOR:
        return factor
    faults.append(fields.mismatch(where, "a text such as '0.1'", written))
    return usual


def _beside(document: Any, faults: list[Fault]) -> int:
    """What executors request besides the JVM's memory and its overhead, in MiB."""
    conf = fields.mapping(paths.value(document, "spec.sparkConf"), "spec.sparkConf", faults)
    total = 0
    if paths.value(document, "spec.type") == "Python":
        key = "spark.executor.pyspark.memory"
        total += _mib(conf.get(key), 0, f"spec.sparkConf[{key}]", faults)
    if conf.get("spark.memory.offHeap.enabled") == "true":
        key = "spark.memory.offHeap.size"
        total += _mib(conf.get(key), 0, f"spec.sparkConf[{key}]", faults, unit="b")
    return total


def _mib(written: Any, missing: int, where: str, faults: list[Fault], unit: str = "m") -> int:
    """A size in MiB, rounded down as Spark does; ``unit`` is the unit of a bare number."""
    if written is None:
        return missing
    found = _SIZE.fullmatch(written.lower()) if isinstance(written, str) else None
    if found is None:
        faults.append(fields.mismatch(where, "a size such as 512m or 4g", written))
        return 0
    return (int(found["number"]) << _SHIFT[found["unit"] or found["bytes"] or unit]) >> _MIB

"""Reads a SparkApplication, which has cores, memory and overhead instead of pod templates.

The rules are from Spark's "Running on Kubernetes" and "Configuration". A pod requests
``coreRequest``, else ``cores`` (1), and its memory (1g) plus an overhead. The overhead is a tenth
of the memory (four tenths for Python and R) and at least 384 MiB. Executors of Python also request
Python's own memory. A size without a unit is in MiB.

What no field of the application says, ``sparkConf`` may say: cores, memory, its overhead and the
number of executors. Not read: factors of the overhead in ``sparkConf``.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

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

_CONF: Final = "spec.sparkConf"
_ENABLED: Final = "spec.dynamicAllocation.enabled"
_SWITCH: Final = "spark.dynamicAllocation.enabled"
_TRUE: Final = ("true", "True", "TRUE", "t", "T", "1")
"""What Spark's operator reads as true."""
_NUMBERS: Final = {
    "spec.executor.instances": "spark.executor.instances",
    "spec.dynamicAllocation.initialExecutors": "spark.dynamicAllocation.initialExecutors",
    "spec.dynamicAllocation.minExecutors": "spark.dynamicAllocation.minExecutors",
}
"""Field -> the key of ``sparkConf`` that says the same."""

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
    conf = fields.mapping(paths.value(document, _CONF), _CONF, faults)
    document = _with_numbers(document, conf, faults)
    factor = _factor(document, faults)
    sets = []
    dynamic = paths.value(document, _ENABLED) is True
    executors = _DYNAMIC if dynamic else _FIXED
    for row, beside in ((_DRIVER, 0), (executors, _beside(document, conf, faults))):
        (entry,) = paths.entries(document, row.template)
        where = row.template
        written = fields.mapping(entry.at(where), where, faults)
        requests = _requests(_Role(row.name, written, conf), factor, beside, faults)
        inner: list[Fault] = []
        template = pod_templates.read(_template(written, where, requests, faults), where, inner)
        faults += [_as_written(fault, where) for fault in inner]
        count, least = pod_sets.counts(row, entry, faults)
        if row is _DYNAMIC:
            count = max(count, pod_sets.counts(_GROWN, entry, faults)[0])
        sets.append(JobPodSet(row.name, where, count, least, template))
    return tuple(sets)


class _Role(NamedTuple):
    """The driver or the executor."""

    name: str
    written: Mapping[str, Any]
    conf: Mapping[str, Any]

    def said(self, field: str, key: str) -> tuple[Any, str]:
        """What the field says, or else the key of ``sparkConf``, and where; None: neither does."""
        found = self.written.get(field)
        if found is None and (in_conf := self.conf.get(key)) is not None:
            return in_conf, f"{_CONF}[{key}]"
        return found, f"spec.{self.name}.{field}"


def _with_numbers(document: Any, conf: Mapping[str, Any], faults: list[Fault]) -> Any:
    """The application with the numbers of executors that only ``sparkConf`` states."""
    spec = paths.value(document, "spec")
    if not isinstance(spec, dict):
        return document
    filled = dict(spec)
    for path, key in _NUMBERS.items():
        _, part, name = path.split(".")
        stated, inside = conf.get(key), filled.get(part) or {}
        if stated is None or not isinstance(inside, dict) or inside.get(name) is not None:
            continue
        filled[part] = {**inside, name: _number(stated, f"{_CONF}[{key}]", faults)}
    stated, inside = conf.get(_SWITCH), filled.get("dynamicAllocation") or {}
    if stated in _TRUE and isinstance(inside, dict):
        filled["dynamicAllocation"] = {**inside, "enabled": True}
    return {**document, "spec": filled}


def _number(written: Any, where: str, faults: list[Fault]) -> int:
    if isinstance(written, str) and re.fullmatch("[0-9]{1,10}", written, re.ASCII):
        return int(written)
    faults.append(fields.mismatch(where, "a number of pods such as '2'", written))
    return 0


def _requests(role: _Role, factor: int, beside: int, faults: list[Fault]) -> dict[str, str]:
    """The requests of Spark's container."""
    name = role.name
    cores, of_cores = role.said("coreRequest", f"spark.kubernetes.{name}.request.cores")
    if cores is None:
        cores, of_cores = role.said("cores", f"spark.{name}.cores")
    written, where = role.said("memory", f"spark.{name}.memory")
    memory = _mib(written, _MEMORY, where, faults)
    usual = max(memory * factor // quantity.NANO, _LEAST_OVERHEAD)
    written, where = role.said("memoryOverhead", f"spark.{name}.memoryOverhead")
    overhead = _mib(written, usual, where, faults)
    requested = {
        names.CPU: amounts.read_one(names.CPU, 1 if cores is None else cores, of_cores, faults),
        names.MEMORY: (memory + overhead + beside) << _MIB,
    }
    gpu = fields.mapping(role.written.get("gpu"), f"spec.{name}.gpu", faults)
    if fields.is_name(device := gpu.get("name")):
        requested[device] = amounts.read_one(
            device, gpu.get("quantity"), f"spec.{name}.gpu.quantity", faults
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


def _beside(document: Any, conf: Mapping[str, Any], faults: list[Fault]) -> int:
    """What executors request besides the JVM's memory and its overhead, in MiB."""
    total = 0
    if paths.value(document, "spec.type") == "Python":
        key = "spark.executor.pyspark.memory"
        total += _mib(conf.get(key), 0, f"{_CONF}[{key}]", faults)
    if conf.get("spark.memory.offHeap.enabled") == "true":
        key = "spark.memory.offHeap.size"
        total += _mib(conf.get(key), 0, f"{_CONF}[{key}]", faults, unit="b")
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

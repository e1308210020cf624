"""Claims, classes, slices and pods with claims, in a few words."""

from typing import Any

from elasticquota import names
from elasticquota.devices import keys
from elasticquota.devices.class_offers import UnknownClassError, UnmatchedError
from elasticquota.model.claims import (
    Alternative,
    ClaimingJob,
    ClaimingPod,
    ClaimingSet,
    ClaimReference,
    ClaimSpec,
    ClaimTemplate,
    DeviceClaim,
    DeviceClass,
    DeviceRequest,
)
from elasticquota.model.devices import Device, Reach, Slice
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.workload import JobName


GPU = keys.of_class("gpu")
NIC = keys.of_class("nic")


def spec(*requests: tuple[tuple[str, int], ...] | tuple[str, int]) -> ClaimSpec:
    """One request for each ``(class, number)``, or for each tuple of these alternatives."""
    found = []
    for index, each in enumerate(requests):
        if each and isinstance(each[0], str):
            options: Any = (each,)
        else:
            options = each
        alternatives = tuple(Alternative(f"a{i}", *option) for i, option in enumerate(options))
        found.append(DeviceRequest(f"r{index}", alternatives))
    return ClaimSpec(tuple(found))


def claim(name: str, *requests: Any, owner: str = "", allocated: Any = None) -> DeviceClaim:
    return DeviceClaim(Key("team", name), spec(*requests), owner, allocated)


def template(name: str, *requests: Any) -> ClaimTemplate:
    return ClaimTemplate(Key("team", name), spec(*requests))


def pod(name: str, *references: ClaimReference, gated: bool = True, **more: Any) -> ClaimingPod:
    """A pod of namespace team; its name is its uid, and names sort by age unless given."""
    given = {
        "uid": name,
        "created": name,
        "request": {names.CPU: 1000, names.PODS: 1},
        "gates": (names.GATE,) if gated else (),
        **more,
    }
    return ClaimingPod(key=Key("team", name), claims=references, **given)


def job(name: str, *sets: tuple[Any, ...], gated: bool = True, created: str = "") -> ClaimingJob:
    """A queued job of namespace team; each set is a number of pods, and their claims."""
    one = {names.CPU: 1000, names.PODS: 1}
    pods = sum(number for number, *_ in sets)
    return ClaimingJob(
        key=Key("team", f"job.batch/{name}"),
        uid=name,
        created=created or name,
        name=JobName("Job", Key("team", name)),
        request={names.CPU: 1000 * pods, names.PODS: pods, names.MAX_JOBS: 1},
        parts=(one,),
        gates=(names.GATE,) if gated else (),
        labels=(f"job={name}",),
        sets=tuple(
            ClaimingSet(f"spec.sets[{place}].template", number, one, tuple(claims))
            for place, (number, *claims) in enumerate(sets)
        ),
    )


def shares(name: str) -> ClaimReference:
    """A reference to a claim by its name."""
    return ClaimReference("gpu", claim=name)


def generates(name: str, claim: str = "") -> ClaimReference:
    """A reference to a template; ``claim`` is generated already."""
    return ClaimReference("gpu", claim, name)


def node(name: str, **allocatable: int) -> Node:
    return Node(name, "", {"zone": name[-1]}, {names.CPU: 8000, **allocatable})


def device(name: str, model: str = "gpu", reach: Reach | None = None, **more: Any) -> Device:
    attributes = ((("d", "model"), model),)
    return Device(name, "d", attributes, reach=reach or Reach("node-0"), **more)


def slice_of(node_name: str, number: int, model: str = "gpu", **more: Any) -> Slice:
    """The pool of one node with so many devices."""
    reach = Reach(node_name)
    devices = tuple(device(f"{model}-{i}", model, reach) for i in range(number))
    given = {"pool": node_name, "devices": devices, **more}
    return Slice(f"{node_name}-{given['pool']}-{given.get('generation', 0)}", "d", **given)


def device_class(
    name: str, *expressions: str, extended: str = "", created: str = ""
) -> DeviceClass:
    """A class of the devices whose model is its name, unless expressions are given."""
    return DeviceClass(name, created, expressions or (name,), extended)


def matches(found: DeviceClass, one: Device) -> bool:
    """A stand for the evaluation of CEL: each expression is a model, ``*``, ``?`` or ``!``."""
    model = dict(one.attributes)["d", "model"]
    for expression in found.expressions:
        if expression == "?":
            raise UnknownClassError("it cannot be read")
        if expression == "!" and model == "broken":
            raise UnmatchedError("it fails")
        if expression not in ("*", "!", model):
            return False
    return True

"""How many devices a claim takes (placement 4).

* Allocated: what the scheduler has allocated.
* ``exactly``: the count; ``All`` counts as the most devices that one node offers.
* ``firstAvailable``: for each class the largest count among the alternatives, so that no class is
  under-counted whichever alternative is chosen (as the quota evaluator of core/v1 does).

Requests with admin access do not count. Classes whose devices cannot be counted do not count.
"""

from collections.abc import Callable, Mapping

from elasticquota import resources as lists
from elasticquota.devices import keys
from elasticquota.model.claims import ALL, ClaimSpec, ClassDemand, DeviceClaim


def of_spec(spec: ClaimSpec, classes: ClassDemand) -> dict[str, int]:
    """Return class -> devices that the requests may take at most."""
    total: dict[str, int] = {}
    for request in spec.requests:
        most: dict[str, int] = {}
        for each in request.alternatives:
            name, number = each.device_class, each.number
            count = classes.largest.get(name, 0) if number == ALL else number
            most[name] = max(count, most.get(name, 0))
        for name, count in most.items():
            total[name] = total.get(name, 0) + count
    return total


def of_claim(claim: DeviceClaim, classes: ClassDemand) -> Mapping[str, int]:
    """Return class -> devices that the claim holds or may take at most."""
    return of_spec(claim.spec, classes) if claim.allocated is None else claim.allocated


def resources(devices: Mapping[str, int], classes: ClassDemand) -> dict[str, int]:
    """Return the devices under all their names; ``devices`` is by class."""
    found: dict[str, int] = {}
    for name, count in devices.items():
        if name in classes.uncounted or count <= 0:
            continue
        found[keys.of_class(name)] = found.get(keys.of_class(name), 0) + count
        extended = classes.extended.get(name)
        if extended:
            found[extended] = found.get(extended, 0) + count
    return found


def named(
    request: Mapping[str, int],
    claimed: Mapping[str, int],
    classes: ClassDemand,
    served_by: Mapping[str, str],
    is_plugin: Callable[[str], bool],
) -> dict[str, int]:
    """Return ``request`` with the ``claimed`` devices, each device under all its names.

    ``claimed`` is by resource; ``served_by`` is extended resource -> class. ``is_plugin`` says
    whether a device plugin may serve the request for an extended resource.
    """
    requested = dict(claimed)
    for resource, count in request.items():
        implicit = keys.class_of(resource)
        served = implicit or served_by.get(resource, "")
        if implicit or (served and not is_plugin(resource)):
            requested = lists.add(requested, resources({served: count}, classes))
        else:
            requested[resource] = requested.get(resource, 0) + count
    return requested

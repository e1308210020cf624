"""The resource names under which devices count.

* ``<class>.deviceclass.resource.k8s.io/devices``, as ResourceQuota of core/v1 writes it.
* ``deviceclass.resource.kubernetes.io/<class>``, by which a container can request a device of a
  class like an extended resource, means the same and counts under the first name.
* The extended resource of a class (``spec.extendedResourceName``) is one more name of its devices.
  Both names count every device, so a limit of either holds however a device is requested.
"""

from typing import Final


SUFFIX: Final = ".deviceclass.resource.k8s.io/devices"
IMPLICIT: Final = "deviceclass.resource.kubernetes.io/"


def of_class(name: str) -> str:
    """Return the resource name of the devices of a class."""
    return f"{name}{SUFFIX}"


def canonical(resource: str) -> str:
    """Return the first name of the devices that ``resource`` names; other resources unchanged."""
    if resource.startswith(IMPLICIT) and len(resource) > len(IMPLICIT):
        return of_class(resource.removeprefix(IMPLICIT))
    return resource


def class_of(resource: str) -> str:
    """Return the class that ``resource`` names in the second way; empty for other resources."""
    return resource.removeprefix(IMPLICIT) if resource.startswith(IMPLICIT) else ""

"""Pool keys: a resource of one pool of nodes, as a key of a resource list.

``a100.pool.elasticquota.dev/nvidia.com_gpu`` is ``nvidia.com/gpu`` on the nodes of pool ``a100``.
Such a key is a qualified name, as the API server and the schema of an ElasticQuota demand of the
name of a resource, so it has one slash: that of the resource is written as ``_``. A domain has no
``_``, and a resource without a domain has none either, so each key names one resource of one pool.
Amounts are in the unit of that resource.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from elasticquota import names


_MIDDLE: Final = f".{names.POOL_DOMAIN}/"
_LONGEST: Final = 63
"""Characters of a qualified name after its slash."""


class PoolKey(NamedTuple):
    """The two parts of a pool key."""

    pool: str
    resource: str


@lru_cache(maxsize=4096)
def key(pool: str, resource: str) -> str:
    """Return the key of ``resource`` in ``pool``, whose name is a DNS label.

    Empty for a resource that has no such key: the name is too long, or is a pool key itself.
    """
    domain, slash, name = resource.rpartition("/")
    written = f"{domain}_{name}" if slash else name
    if len(written) > _LONGEST or domain.endswith(names.POOL_DOMAIN) or (not slash and "_" in name):
        return ""
    return f"{pool}{_MIDDLE}{written}"


@lru_cache(maxsize=4096)
def split(key: str) -> PoolKey | None:
    """Return the parts of a pool key; None: it is the key of a resource of all nodes."""
    pool, middle, written = key.partition(_MIDDLE)
    if not middle or not pool or not written or "." in pool:
        return None
    domain, underscore, name = written.partition("_")
    return PoolKey(pool, f"{domain}/{name}" if underscore else written)


def is_reserved(key: str) -> bool:
    """Whether the key has the domain of pool keys, well formed or not."""
    return names.POOL_DOMAIN in key


def resource(key: str) -> str:
    """Return the resource that a pool key counts; any other key itself."""
    if names.POOL_DOMAIN not in key:
        return key
    found = split(key)
    return key if found is None else found.resource


def title(key: str) -> str:
    """Return the key as messages name it: ``nvidia.com/gpu of pool a100``."""
    found = split(key) if names.POOL_DOMAIN in key else None
    return key if found is None else f"{found.resource} of pool {found.pool}"


def field(side: str, key: str) -> str:
    """Return the path of a bound, whose ``side`` is min or max.

    ``spec.max.cpu``, or ``spec.pools[a100].max.nvidia.com/gpu``.
    """
    found = split(key) if names.POOL_DOMAIN in key else None
    if found is None:
        return f"spec.{side}.{key}"
    return f"spec.pools[{found.pool}].{side}.{found.resource}"

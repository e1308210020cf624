"""What a quota holds that others may take: beyond its runtime, or beyond its min."""

from collections.abc import Iterable

from elasticquota import names, resources
from elasticquota.resources import Resources
from elasticquota_cli.printers import amount


def beyond_min(held: Resources, low: Resources, asked: Iterable[str]) -> Resources:
    """What a quota holds beyond its min of the shared resources that a pod has ``asked`` for."""
    keys = [key for key in asked if key != names.PODS]
    return resources.positive(resources.subtract(resources.masked(held, keys), low))


def holds(quota: str, over: Resources, beyond: Resources) -> str:
    """What a quota holds that others may take: ``over`` its runtime, else ``beyond`` its min."""
    if over:
        return f"{quota} holds {amount.listed(over)} beyond its runtime"
    if beyond:
        lent = f"{quota} holds {amount.listed(beyond)} beyond its min"
        return f"{lent}, which a pod within the min of another quota may take"
    return f"{quota} holds no more than its min"

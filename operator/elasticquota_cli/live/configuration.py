"""Finds the controller's configuration in the operator's ConfigMap."""

from collections.abc import Sequence
from typing import Final

import msgspec

from elasticquota_cli.live import installed, listing
from elasticquota_config import config_map, model
from elasticquota_config.model import Configuration, ConfigurationError
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.rest.errors import ApiError


OF_OPERATOR: Final = {"labelSelector": f"{installed.PART_LABEL}={installed.OPERATOR}"}
"""Selects the objects of the chart."""
_UNREAD: Final = (
    "the defaults count as the controller's configuration: you may not read its ConfigMap; "
    "--config names a file instead"
)


async def read(api: Api) -> tuple[Configuration, Sequence[str]]:
    """The configuration in force, the defaults if none is found; and notes about it."""
    try:
        maps = await listing.of(api, paths.CONFIG_MAPS, into=msgspec.Raw, params=OF_OPERATOR)
    except ApiError:
        maps = ()
    if maps is None:
        return Configuration(), (_UNREAD,)
    notes: list[str] = []
    plural = paths.CONFIG_MAPS.plural
    for each in listing.understood(maps, installed.ConfigMap, plural, notes):
        text = (each.data or {}).get(config_map.CONFIGURATION)
        if text is None:
            continue
        try:
            return model.parse(text), notes
        except ConfigurationError as error:
            notes.append(f"ConfigMap {each.metadata.key} is passed over: {error.faults[0]}")
    return Configuration(), notes

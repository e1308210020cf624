"""The command line runs on Python 3.11 too, where a read-only map is no default of a dataclass."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import MappingProxyType

import pytest


PACKAGES = (
    "elasticquota",
    "elasticquota_cli",
    "elasticquota_config",
    "elasticquota_kube",
    "elasticquota_operator",
    "elasticquota_webhooks",
)


def dataclasses_of(package: str) -> Iterator[type]:
    root = importlib.import_module(package)
    for each in pkgutil.walk_packages(root.__path__, f"{package}."):
        module = importlib.import_module(each.name)
        for found in vars(module).values():
            if isinstance(found, type) and is_dataclass(found):
                yield found


@pytest.mark.parametrize("package", PACKAGES)
def test_no_default_of_a_dataclass_is_one_that_python_3_11_refuses(package: str) -> None:
    refused = {
        f"{each.__module__}.{each.__name__}.{field.name}"
        for each in dataclasses_of(package)
        for field in fields(each)
        if isinstance(field.default, MappingProxyType)
    }
    assert refused == set()

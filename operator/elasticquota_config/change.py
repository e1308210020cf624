"""Which changes of a configuration a running process takes, and which wait for its next start.

Live keys are those that decisions and answers read each time. Keys that are used only when a
process starts (ports, Lease, certificates, registered metrics) wait. A key at the top of the file
that is not listed here waits too, so that a new key is never treated as live by mistake.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from elasticquota.structs import Struct, replace
from elasticquota_config.fields import section
from elasticquota_config.fields.section import Section
from elasticquota_config.model import Configuration


LIVE: Final = frozenset(
    {
        "mode",
        "besideKoordinator",
        "guaranteeUsage",
        "systemNamespaces",
        "controllerUser",
        "accounting",
        "sharing",
        "defaultTree",
        "rules",
        "podAdmission",
        "compatAnnotations",
        "compatMessages",
        "admission",
        "reclaim",
    }
)
"""Keys at the top of the file that are live, with all keys below them."""


class ConfigurationChange(Struct, frozen=True):
    """The difference between the configuration in force and the file."""

    now: Configuration
    """The configuration from now on: live keys from the file, the others unchanged."""
    taken: tuple[str, ...]
    """Live keys that differ, dotted, in the order of the file."""
    waiting: tuple[str, ...]
    """Keys that differ and need a restart."""


def between(in_force: Configuration, written: Configuration) -> ConfigurationChange:
    """The change when the file holds ``written`` and ``in_force`` was valid so far."""
    fields = section.keys(Configuration).items()
    live = {name: getattr(written, name) for key, name in fields if key in LIVE}
    differ = list(_different(in_force, written, ()))
    return ConfigurationChange(
        replace(in_force, **live),
        tuple(".".join(path) for path in differ if is_live(path)),
        tuple(".".join(path) for path in differ if not is_live(path)),
    )


def is_live(path: Sequence[str]) -> bool:
    """Whether a running process takes a change of the key at ``path``."""
    return path[0] in LIVE


def _different(one: Section, other: Section, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for key, name in section.keys(type(one)).items():
        left, right = getattr(one, name), getattr(other, name)
        path = (*above, key)
        if isinstance(left, Section):
            yield from _different(left, right, path)
        elif left != right:
            yield path

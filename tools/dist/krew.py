"""The manifest by which krew installs the kubectl plugin."""

from collections.abc import Mapping
from typing import Any, Final

import yaml


_DESCRIPTION: Final = """\
Shows why pods wait for their quota and what a quota may use, plans and makes changes of quotas,
checks an installation, and imports the quotas of other systems. It needs Python 3.11 to 3.14.
"""


def manifest(version: str, url: str, archives: Mapping[str, tuple[str, str]]) -> str:
    """The manifest; ``archives`` are file name and SHA-256 by platform."""
    platforms: list[dict[str, Any]] = []
    for platform, (name, checksum) in sorted(archives.items()):
        system, _, arch = platform.partition("-")
        platforms.append(
            {
                "selector": {"matchLabels": {"os": system, "arch": arch}},
                "uri": f"{url.rstrip('/')}/{name}",
                "sha256": checksum,
                "bin": "kubectl-elastic_quota",
                "files": [
                    {"from": "kubectl-elastic_quota", "to": "."},
                    {"from": "LICENSE", "to": "."},
                ],
            }
        )
    document = {
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {"name": "elastic-quota"},
        "spec": {
            "version": f"v{version}",
            "shortDescription": "Hierarchical elastic quotas",
            "description": _DESCRIPTION,
            "platforms": platforms,
        },
    }
    text: str = yaml.safe_dump(document, sort_keys=False)
    return text

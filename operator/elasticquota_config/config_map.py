"""The ConfigMaps that hold a configuration: the chart's, and the one in a bug report."""

from typing import Final


CONFIGURATION: Final = "config.yaml"
"""The only key."""
IN_FORCE: Final = "elastic-quota-in-force"
"""Name of the one in a bug report, which exists in no cluster."""

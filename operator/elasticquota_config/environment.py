"""Which configuration file a process reads when no option names one."""

import os
from pathlib import Path
from typing import Final

from elasticquota_config import model
from elasticquota_config.model import Configuration


VARIABLE: Final = "ELASTIC_QUOTA_CONFIG"


def configuration() -> tuple[Configuration, Path | None]:
    """The content of the file that $ELASTIC_QUOTA_CONFIG names, and its path; else the defaults.

    Raises `UnreadableError`, and `ConfigurationError` with a line for each fault.
    """
    name = os.environ.get(VARIABLE)
    if not name:
        return Configuration(), None
    file = Path(name)
    return model.load(file), file

"""Bytes -> one review through the real routes: an answer or a sentence, never a fault of ours.

The first byte picks a route and how the rest is used: as the body itself, or as a tape that alters
a review of a pod or a quota here and there. The caches know a small forest, so that parents,
names and sums are found or missed.
"""

import asyncio
import json
import logging
import time
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from elasticquota.wire import review
from elasticquota_kube.api import Api
from elasticquota_kube.configuration import Configuration
from elasticquota_kube.credentials import Credentials
from elasticquota_webhooks import main, reviews
from elasticquota_webhooks.caches import Caches
from elasticquota_webhooks.metrics import Metrics
from tape import Tape, words


LONGEST_SECONDS: Final = 0.5
"""Of the processor, under instruments that make everything some times slower."""

_EXAMPLES: Final[dict[str, Any]] = msgspec.json.decode(
    Path(__file__).with_name("reviews.json").read_bytes()
)
_WORDS: Final = words(*_EXAMPLES.values())

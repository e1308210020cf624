"""How the laws are tried: new examples at every desk, the same ones in CI."""

import os

from hypothesis import settings


settings.register_profile(
    "laws", deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=80
)
settings.load_profile("laws")

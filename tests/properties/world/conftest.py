"""The laws are tried as hard as ``effort`` says."""

import effort


effort.choose()

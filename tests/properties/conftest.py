"""Sets the number of examples as ``effort`` says."""

import effort


effort.choose()

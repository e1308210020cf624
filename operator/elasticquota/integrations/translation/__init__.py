"""From branches of an external tree to quotas with valid names and limits, and their updates."""

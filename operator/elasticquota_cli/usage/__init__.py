"""``usage``: what quotas borrowed and lent over time, for chargeback."""

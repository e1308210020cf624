"""Fields, amounts, patches and texts: what the readers of all kinds share."""

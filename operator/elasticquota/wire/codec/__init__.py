"""Fields, amounts, patches and texts: helpers that the readers of all kinds share."""

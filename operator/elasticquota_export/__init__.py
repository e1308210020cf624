"""Writes the ledger as manifests, for the controller's debug page, ``simulate`` and ``doctor``."""

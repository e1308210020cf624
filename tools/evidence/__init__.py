"""Writes docs/evidence: which test holds which behavior, and the picture of the packages.

    PYTHONPATH=tools:docs/pictures python -m evidence

Each page shows the state of today beside that of commit 19b205b, the last one before the redesign
of 2026-11-24. What that commit had is stored beside the pages as ``*-before.tsv``.
"""

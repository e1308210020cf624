"""Devices that are claimed (DRA): claims -> requests of pods, slices -> what nodes offer.

In: pods, nodes, claims, templates, classes and slices as values. Out: the same pods and nodes with
device keys in ``request`` and ``allocatable``, for the ledger.
"""

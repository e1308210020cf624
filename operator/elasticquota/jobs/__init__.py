"""Reads and suspends jobs: objects that create pods and have a switch to hold them.

An ``Adapter`` describes one kind as data: it says which field holds which fact. The built-in
adapters are rows of ``kinds.table``; a configuration file adds rows without code. ``job.read``
makes the same ``Job`` from an object of any kind, and ``suspension.patch`` turns the switch.
Reading never raises: what cannot be read is a fault with its path.
"""

"""Reads the pod groups (gangs) of other systems as ours.

An ``Adapter`` describes one system as data: which labels and annotations of a pod name its group
and state its size, and which object states the size where pods do not. The built-in adapters are
rows of ``table``; a configuration file adds rows without code. ``reading`` makes the ``Group`` of a
pod, ``objects`` the ``GroupObject`` of an object. Reading never raises: what cannot be read is a
fault, and a group with a fault waits.
"""

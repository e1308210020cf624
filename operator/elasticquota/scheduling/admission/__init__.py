"""Admission: pods that fit below every runtime on their path are released, fairest first.

In: the queues and the snapshot of one tree. Out: releases, and a reason for each pod that waits.
"""

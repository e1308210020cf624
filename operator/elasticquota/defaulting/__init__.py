"""What admission fills in: as little as possible; applied twice, it is the same as once.

In: a new quota or pod and what the webhook knows of the forest. Out: the fields to set.
"""

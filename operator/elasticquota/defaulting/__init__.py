"""What admission fills in: as little as possible. Applied twice, the result is the same.

In: a new quota or pod and what the webhook knows of the forest. Out: the fields to set.
"""

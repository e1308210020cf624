"""A dialect is a neighbour's configuration, translated into quotas of ours; nothing else knows it.

One file per neighbour says what its objects mean; ``assembly`` makes quotas of it that our rules
accept. Translation is total (any stored object gives quotas or remarks), does not go by the order
of objects and siblings, and what it changes or leaves out is a remark with its path.
"""

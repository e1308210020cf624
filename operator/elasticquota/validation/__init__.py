"""What may be stored: one file per rule, judged against the forest as it stands.

In: a change (``change``, ``profile_change``) and the forest. Out: violations; an empty tuple means
that the change is fine. A rule judges only what the change changes: an old fault never blocks an
edit that leaves it alone. ``chains`` lists the rules in order.
"""

"""The rules of admission: what may be stored, one file per rule.

In: a change (``change``, ``profile_change``) and the stored forest. Out: violations; none means
that the change is fine. A rule judges only what the change changes: an old fault never blocks an
edit that does not touch it. ``chains`` lists the rules in order.
"""

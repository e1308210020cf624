"""What may be written: one file per family of rules, judged against the forest as it stands.

A rule takes a change and the forest and returns what it violates; nothing returned means fine. It
judges only what the change changes: an old fault never blocks an edit that leaves it alone.
"""

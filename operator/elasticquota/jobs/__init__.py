"""A job is an object that makes pods and can be held by a switch of its own, whatever its kind.

An ``Adapter`` says of a kind where its facts stand, as data: the built-in ones are rows of
``table``, and a configuration file adds to them without code. ``job.read`` makes the same value of
any of them, and ``suspension.patch`` turns the switch. Reading is total: what cannot be read is a
fault with its path, and never an exception.
"""

"""The arguments of ``import`` and ``export``; entry points of the command line name the modules."""

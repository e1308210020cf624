"""The command line: ``elastic-quota``, and ``kubectl elastic-quota`` as a kubectl plugin."""

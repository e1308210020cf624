"""The command line: `elastic-quota`, also as the kubectl plugin `kubectl elastic-quota`."""

"""Asks a cluster autoscaler for nodes before admitted groups and jobs start."""

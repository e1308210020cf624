"""Readers of objects that no program of the operator reads: Kueue, HNC, Volcano, KAI Scheduler."""

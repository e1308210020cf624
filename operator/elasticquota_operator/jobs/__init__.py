"""Queued jobs: suspended until their quota has room for all of their pods."""

"""The generated pages of ``docs/reference``: what a program can know is not written by hand.

    PYTHONPATH=operator:webhooks:tools python -m reference_pages

A test compares what stands there with what would be written.
"""

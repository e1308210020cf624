"""Builds the documentation site: ``make docs`` stages the pages, writes the navigation and builds.

The pages keep their paths of the repository, so relative links mean the same in both places.
"""

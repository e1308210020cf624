"""The documentation as a site: ``make docs`` stages the pages, writes the navigation and builds.

The pages keep the paths of the repository, so each relative link means the same in both places.
"""

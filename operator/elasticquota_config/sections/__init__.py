"""The sections of the configuration file: each key with its default, its bounds and its meaning.

In come values that ``reading`` has checked against the annotations; out go values of the core
package. Two keys of a section must not contradict each other. A section imports the core, and of
this package ``section``, ``reading`` and its siblings.
"""

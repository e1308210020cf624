"""The known kinds of jobs: a row of a table each, and rules of their own where no row says them.

In: the object of a job. Out: which pods it has and may still have.
"""

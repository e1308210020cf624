"""What answers are made of, computed and published ones alike; nothing here decides.

They import no decision code, so a verb that answers from published figures starts fast.
"""

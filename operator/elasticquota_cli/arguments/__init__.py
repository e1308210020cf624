"""How command lines are read: the parser, the options that several verbs have, and the help.

Nothing here imports a verb or a library: it is loaded before the verb is known.
"""

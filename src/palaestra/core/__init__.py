"""The ground floor: values that every other package exchanges, and the protocols they fulfil. It imports nothing of
ours.

====================  ====================================================================================
``instance``          one problem, by name, and its random streams
``answer``            what a reply may say, and the one reader of replies
``observation``       views, channels, harnesses, pictures
``environment``       the rules of a world, its specification, and the rule of taking a turn
``policy``            who plays and who answers
``trajectory``        what was played
``ticket``            orders to play, the groups that come back, the source of tickets
``distribution``      what to train on now
``codec``             harnesses, cells and tickets as JSON data
``profile``           which abilities an environment exercises
``gradient``          in which direction it pulls
``selection``         which environments were chosen, and why
``curriculum``        how the distribution changes with results
``engineer``          who rewrites it between stages
``retuning``          what somebody else's training loop tells, and is told between stages
``trainer``           what every training engine looks like
``tracker``           who is shown how a run goes
``rate``              a success rate with its count and interval
``config``            strict TOML into dataclasses
``runfolder``         files that survive a kill
``errors``            every error, named after the boundary it crossed
====================  ====================================================================================

Import from the modules: the path is the name. To add a type, put it where its noun lives; a new module is a new noun.
"""

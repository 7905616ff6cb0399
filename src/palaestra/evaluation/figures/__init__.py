"""The figures of a report, one file each: from values of the house to a `report.Section` with its words and tables.

==============  ==========================================================================================
``pool``        what a player sees of each environment
``abilities``   which abilities each environment exercises
``conflict``    the cosines between the gradients of environments
``selection``   how firm each pick is, and why it was picked
``coverage``    how fast the picks of each method cover the core abilities
``curriculum``  help and scale of each environment, update by update
``scores``      success before and after training
``engineers``   what stages with an engineer between them came to, arm by arm
``arms``        success by rollouts of the arms of an experiment
``forest``      success of arms at the end by group, seed by seed
``matrix``      what two of them share: a matrix with named rows and columns
``sheet``       what all of them draw on; only this file knows matplotlib (extra ``report``)
==============  ==========================================================================================

To add one, write a function in a file of its own that returns a `report.Section`, with a caption that says how to read
it and a table that holds every number of it, and call it in `pipeline.report`.
"""

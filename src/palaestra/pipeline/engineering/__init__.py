"""Stages of training with an engineer between them, arm against arm.

===========  ==========================================================================================
``design``   what is compared: a mixture and its dials, arms, stages, seeds, and the budget of each stage
``exam``     the problems that are validated on after each stage, and those that are judged at the end
``chats``    who answers where an arm's engineer is a language model
``arm``      one run: an arm with one seed, stage by stage (needs the extra ``cpu``)
``between``  what happens between two stages: validate, build evidence, propose, probe, admit
``run``      the folder, and the runs that are missing in it
``outcome``  what they came to, as JSON, and as a section of the report
===========  ==========================================================================================
"""

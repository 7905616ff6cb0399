"""Stage "experiment": arms that differ in one setting, on the same problems, with the same budget, seed by seed.

``run``        the stage itself: makes the runs that are missing, and tells what all came to
``design``     what is compared: problems, arms, budget, and what is asked of the base
``pilot``      ``plan.json``: what the base can do, and how many updates the hours pay for
``arms``       one run, trained and judged
``imitation``  the reference that imitates a teacher
``exam``       the test problems
``clock``      ``clock.json``: processor seconds, update by update
``outcome``    ``experiment.json``: what the runs came to
``tables``     ``experiment.md``: the same as tables, and its pictures
``selections`` the same of sets of environments, in place of ways of training

To add a way of training, give it a table ``[arms.NAME]`` in the design: no code is needed.
"""

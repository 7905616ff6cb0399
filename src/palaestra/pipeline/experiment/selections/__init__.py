"""Does it matter which environments a budget is spent on? Sets of environments as arms, each by a method of `select`.

``run``      the part of the stage that makes what is missing
``design``   what is compared: methods, their K, the budget, and who judges
``choices``  ``choices.json``: what each arm trains on, and what measuring cost
``exam``     ``base.json``: the test problems, and what the base scores there
``outcome``  ``experiment.json``: what the runs came to
``tables``   ``experiment.md``: the same as tables, and its picture

To add an arm, name its method in the design; a new method is a line in `palaestra.selection.METHODS`.
"""

"""What to train on next: rules that move a distribution over cells as results come in, and the Feed that draws from it.

==============  =========================================================================================
``uniform``     the flat baseline: every environment and scale alike, at one harness
``hdc``         Hierarchical Difficulty Curriculum: help withdrawn rung by rung, scales grown on each rung
``guarded``     around any rule: a floor for every environment, the way back, alarms; the default of training
``watch``       what a guard knows of one environment, and its alarms
``frontier``    what a rule adds that holds one frontier per environment
``template``    what all cells of a rule share: guided groups, rollouts, allowed scales
``tally``       successes counted since the last check
``changes``     what changed between two weightings
``feed``        the one mutable cell of the house: tickets out, groups in, everything resumable
``fenwick``     integer weights, drawn from and changed in logarithmic time
``check``       the published conformance suite
``simulate``    the simulated learner that drives it
==============  =========================================================================================

    feed = Feed(Guarded(HDC()), specs, seed=0)
    tickets = feed.draws(64)
    feed.report(groups)                                # any order, any time later

To add a rule, write one file named as the literature names it: a frozen dataclass of its constants with the methods of
`core.curriculum.Curriculum`, its state plain data; give every environment weight 1 unless the rule says otherwise; add
`Frontier` if it advances. Then `curriculum.check.run` it, and list it in ``tests/curriculum/test_conformance.py``.
"""

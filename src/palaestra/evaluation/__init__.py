"""Judging: how well a policy plays problems that it never trained on, and whether two policies differ.

=============  ======================================================================================
``suite``      which problems are judged: distinct ones of the test split, the same for every method
``scores``     how each of them ended, as plain data
``interval``   a number with its interval, by drawing problems anew within environment and scale
``reference``  what random play and the best play earn on the same problems
``metrics``    scores into success rate, mean return, normalised return and relative gain
``compare``    two scores on the same problems into a paired difference
``blind``      the blank-image probe: whether a policy looks at its pictures
``mapf``       joint plans: valid, optimal, optimal given valid, and what spoils the rest
``judged``     what an evaluation found, as values
``figures``    pictures, each with its words and tables (needs the extra ``report``)
``report``     sections into one HTML page, and into Markdown
=============  ======================================================================================

Worlds come in as a `Pool`, and playing as a callable (`rollout.play.play` is one). What a suite leaves out is
listed, an episode that failed is missing, and nothing is told without its interval.

To add a metric, write a `metrics.Measure`, which turns one score into a number, and hand it to `metrics.mean` and
`compare.compare`. One that needs more than a mean over problems gives `interval.bootstrap` its own statistic.
"""

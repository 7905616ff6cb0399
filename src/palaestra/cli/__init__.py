"""The command `palaestra`: one verb per stage, one file per verb.

=================  =====================================================================================
``verbs``          the typer app: every verb by name
``listing``        ``list``: which environments there are
``showing``        ``show``: one instance, channel by channel
``playing``        ``play``: episodes, into a run folder that survives a kill
``checking``       ``check``: the conformance suite, for environments outside the house too
``measuring``      ``measure``: which abilities environments exercise
``selecting``      ``select``: which environments to train on
``pretraining``    ``pretrain``: the base that training starts from
``training``       ``train``: a policy learns from what a curriculum draws
``scoreboard``     success by environment and rung while ``train`` runs
``evaluating``     ``evaluate``: what training was worth, on unseen problems
``judging``        what it prints of one policy by itself
``planning``       ``mapf``: a policy, or replies, on the boards of the multi-agent benchmark
``reporting``      ``report``: a run as one page, and as Markdown
``demonstrating``  ``demo``: the whole loop at once
``experimenting``  ``experiment``: arms against a baseline, problem by problem and seed by seed
``contrasting``    the same of sets of environments
``fetching``       ``model fetch``: real weights onto this machine
``engineering``    ``engineer``: what may be set, one proposal, and stages of training with an engineer between
``bench``          ``bench``: what a second of one core does here, and what others do in one
``plan``           the configuration of ``play``, and the tickets it stands for
``run``            plays a plan, in a folder or in memory
``tally``          how episodes ended, by environment and scale
``person``         whoever sits at this terminal, as a policy
``effective``      a configuration from defaults, a file, flags and ``--set``
``options``        options that several verbs share
``console``        where output goes, and the one place where errors become exit codes
``picture``        pictures drawn with half blocks
=================  =====================================================================================
Data goes to stdout, as JSON with ``--json``; progress and messages go to stderr. Exit codes: 0 done, 1 `check` found
something, 2 bad input, 70 a fault of palaestra's own, 130 stopped by Ctrl-C.

To add a verb, write a function in a file of its own that reads its options, calls the house and shows the result, and
name it in ``verbs``. It catches nothing: what it raises becomes a message and an exit code.
"""

import os
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Run the command line; the verbs are imported only now."""
    try:
        sys.stdout, sys.stderr = (stream or Path(os.devnull).open("w") for stream in (sys.stdout, sys.stderr))  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may lack the character
        from palaestra.cli.verbs import app

        app(prog_name="palaestra")
    except KeyboardInterrupt:  # so early that no verb had started
        sys.exit(130)


def __getattr__(name: str) -> Any:
    """Return the typer app as `palaestra.cli.app`, imported when it is first asked for."""
    if name == "app":
        from palaestra.cli.verbs import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

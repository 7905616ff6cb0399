"""``palaestra bench``: what a second of one core does here, and what others do in one at the same work.

``envs``       ``bench envs``: how fast environments reset, step and draw
``stopwatch``  what it measures with
``peers``      other packages at the same tasks
``mapf``       ``bench mapf``: how fast best joint plans are found and boards are made, beside others
``select``     ``bench select``: how long choosing from large pools takes
``choosing``   what it measures with, and another package at the same work
``train``      ``bench train``: how fast the embedded engine trains
``pace``       what it measures with
``reference``  what trainers are compared on
``lakes``      the worlds of that
``trainers``   other trainers at the same work
``qwen``       what TRL trains there, of our size

To add a rival, give it a function in ``peers`` or ``trainers`` that returns a rate, or says why there is none.
"""

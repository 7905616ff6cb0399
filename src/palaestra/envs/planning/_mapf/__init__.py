"""What the faces of the multi-agent frozen lake share.

===========  ======================================================================================
``lake``     the rules: boards, plans, and what a plan does, with every fault, its place and its time
``ways``     planning for any number of walkers: straight ways, and one walker round the others
``pairs``    the joint search for two: the earliest plan, and whether it must wait
``making``   the generator: boards with a proof that all can arrive, and equal up to symmetry as one
``looks``    tiles, letters and captions
``sets``     the benchmark sets: fixed boards that no generator gives out
===========  ======================================================================================
"""

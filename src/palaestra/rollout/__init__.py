"""Playing: tickets in, groups of trajectories out, and a folder of them that survives a kill.

==============  ==========================================================================================
``messages``    the conversation that a policy sees: so many observations, with its own replies between
``seeds``       one seed for each ticket, member and turn, so that batches never change a result
``play``        the loop: every live member of every ticket is asked in one call, round by round
``episode``     one member's episode while it lasts: what it is shown, what a reply does, when it ends
``replay``      the views of an episode, rebuilt from its instance and its replies
``policies``    the players of the house: random, oracle, guide, epsilon-oracle, scripted, a person
``rows``        trajectories as rows of plain data, and back
``store``       these rows as Parquet shards with PNG bytes (needs the extra ``run``)
``replies``     asking a policy, and a journal around a costly one: no reply is asked for twice
``record``      playing into a run folder, shard by shard, so that a killed run resumes
==============  ==========================================================================================

To add a policy, write a frozen dataclass with the one method of `core.policy.Policy` (it sees conversations) or of
`core.policy.Insider` (it peeks at the state) as one file of ``policies/``, and name it in `policies.make`. A player
that must know its environments first also implements `play.Prepares`.
"""

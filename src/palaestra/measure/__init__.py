"""Measuring: which abilities an environment exercises, and in which direction its policy gradient pulls.

==============  ==========================================================================================
``labelers``    a trajectory into the sequence of abilities it shows, from the events of its turns
``annotator``   the same by a language model, which writes the names
``scoring``     the same by a model that only compares the names of a closed set
``activations`` abilities without names: clusters of what a policy makes of each turn inside
``dictionary``  names normalised, synonyms merged, kept with aliases and a version
``vocabulary``  which ability an event speaks of, and which events speak of none
``instances``   groups by the instance that was played, the unit of dealing and resampling
``profiles``    labelled trajectories into a profile: core and soft abilities, transitions, support
``stability``   how much of a profile would survive other instances
``agreement``    how far labelers agree on each ability, by Krippendorff's alpha
``hashing``     the random projection: equal in every process, no matrix, no model-sized buffer
``sketches``    groups into sketched batch gradients of one environment, whitened by second moments
``moments``     what batches tell of norms, dots and their errors, all from one Gram matrix
``posterior``   cosines shrunk towards the pool, and the part below zero that is to be expected
``conflict``    sketches into cosines, each with its error and its reliability; what selection is handed
``sampling``    how many batches each environment needs until its cosines are sharp
``fisher``      the cheap look at conflict: which environments move the same parameters
``drift``       how far the conflict of a pool moved while a policy trained
``ranks``       Spearman's rank correlation
==============  ==========================================================================================

Rollouts come in as groups, gradients through `core.gradient.GradientSource`; nothing here plays or trains.

To add a labeler, write a callable from a trajectory to its abilities, in order (`labelers.Labeler`): `annotator` is
one, an action statistic another; `pipeline.labelers` lists those of the command line. To add a metric, pass another `q`
to `sketches.sketch`.
"""

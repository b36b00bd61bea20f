"""Common lag: whether the delays of two subflows agree at one lag, in all bands, and lead one another as in one queue.

RTT samples are read on a lattice of 16 steps a round trip and taken in blocks of 256 steps (:mod:`.lattice_blocks`).
Four measures are summed over blocks, and the sums fade: agreement of the signs of changes at each lag, in eight bands
(:mod:`.change_signs`, :mod:`.lag_agreement`); correlation of the delays themselves (:mod:`.levels`); correlation of
adjacent samples of a subflow, and the lead of the other subflow's next sample over its own next (:mod:`.sample_sums`).
:mod:`.odds` makes the logarithm of the odds of them. Integers throughout: a sender computes the same bits.
"""

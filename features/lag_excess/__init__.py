"""Lag excess: how much better two subflows' delays agree at a possible lag than at impossible ones.

A shared queue gives both subflows the same wiggles of queueing delay, displaced by one fixed lag: the difference of the
ways back, which is no longer than the larger minimum RTT. Separate queues may have the same trend, but then they agree
alike at every lag. So changes of the delays are taken band by band, and the best agreement at a possible lag is held
against the same pair's agreement at lags that are impossible.

The way from samples to verdict: :mod:`~smartsbd.features.lag_excess.lattice` says where the tiles lie,
:mod:`~smartsbd.features.lag_excess.delays` puts the RTTs there, :mod:`~smartsbd.features.lag_excess.band` makes signs
of their changes, :mod:`~smartsbd.features.lag_excess.correlogram` counts how often they agree,
:mod:`~smartsbd.features.lag_excess.excess` compares the lags, :mod:`~smartsbd.features.lag_excess.comparison` is a
second witness, :mod:`~smartsbd.features.lag_excess.tile` puts this together for each tile,
:mod:`~smartsbd.features.lag_excess.memory` adds tiles up, :mod:`~smartsbd.features.lag_excess.gate` says when nothing
can be said, and
:mod:`~smartsbd.features.lag_excess.tile_feature` is what a model may learn from.
"""

"""What the parameters say of splits and choice, in the words of :mod:`models`."""

from __future__ import annotations

from smartsbd.models.labelled.trial import Drawing
from smartsbd.models.search.fitting import Method
from smartsbd.pipelines.params.learning import Search


def drawing(options: Search) -> Drawing:
    """Return how the random splits are drawn."""
    return Drawing(options.splits, options.test_share, options.seed, options.block)


def method(options: Search) -> Method:
    """Return how settings are chosen and fitted."""
    return Method(
        inner_folds=options.inner_folds,
        seed=options.seed,
        scaling=options.scaling,
        block=options.block,
        learn_partners=options.learn_partners,
    )

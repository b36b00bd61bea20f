"""A folder for each question that is not the main road's: experiments, claims, stage, figures, results and tests.

Nothing outside imports a study, and studies import each other's shared room alone, :mod:`studies.transfers`: a folder
that is removed takes its question with it. Its stages are in its own ``dvc.yaml``, its parameters in its own
``params.yaml``. ``params/full.yaml`` beside it changes them in the profile ``full``; other profiles leave them alone.
"""

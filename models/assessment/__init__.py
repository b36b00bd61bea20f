"""How good models and detectors are: accuracy with its intervals, comparisons, controls, cases."""

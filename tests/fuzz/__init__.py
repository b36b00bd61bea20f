"""Coverage-guided fuzzing of whatever reads text, compressed files, captures or models, and of what is C or C++.

``python -m tests.fuzz TARGET [libFuzzer options] [files]`` runs one target (:mod:`tests.fuzz.targets` lists them) until
it is stopped, or for ``-max_total_time=SECONDS`` or ``-runs=NUMBER``. It starts from ``corpus/``, small broken files
with names that say what is wrong with them, and from the heads of data/samples; what it finds new goes to
``build/fuzz/TARGET/``: inputs that reach other code to ``corpus/``, and the first input that breaks a promise
(:mod:`tests.fuzz.oracle`) to ``crash-*``, ``timeout-*`` or ``oom-*``. Files in place of options are read once each, to
see such an input fail again. A mended one is copied to ``corpus/`` under a name of its own.

The targets ``packets`` (the parser of captures), ``logs`` (that of lines), ``warping``, ``model_file`` and ``sender``
are C and C++. Each is a program of its own where Clang is installed, with its sanitizers; else, and with ``--native``
before the target, a library (gcc) whose coverage is recorded. Of the targets in Python that read captures, ``--native``
has the compiled parser built so that libFuzzer sees what it runs (g++, a minute; into ``build/fuzz/native/``).

``python -m tests.fuzz.campaign`` runs them all, so many executions or so long, and counts.

``python -m tests.fuzz.bounds FILE...`` says what inputs become, and what time and memory that takes.
"""

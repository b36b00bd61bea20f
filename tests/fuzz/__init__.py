"""Coverage-guided fuzzing of whatever reads text, compressed files or captures, and of the exported C.

``python -m tests.fuzz TARGET [libFuzzer options] [files]`` runs one target (:mod:`tests.fuzz.targets` lists them) until
it is stopped, or for ``-max_total_time=SECONDS`` or ``-runs=NUMBER``. It starts from ``corpus/``, small broken files
with names that say what is wrong with them, and from the heads of data/samples; what it finds new goes to
``build/fuzz/TARGET/``: inputs that reach other code to ``corpus/``, and the first input that breaks a promise
(:mod:`tests.fuzz.oracle`) to ``crash-*``, ``timeout-*`` or ``oom-*``. Files in place of options are read once each, to
see such an input fail again. A mended one is copied to ``corpus/`` under a name of its own.

The parser of captures is compiled, and libFuzzer sees nothing of it unless ``--native`` before the target has it built
for that (g++, a minute; into ``build/fuzz/native/``).

The targets of the exported C, ``model_file`` and ``sender``, are a program of their own where Clang is installed, with
its sanitizers; else, and with ``--native``, a library (gcc) whose coverage is recorded.

``python -m tests.fuzz.bounds FILE...`` says what inputs become, and what time and memory that takes.
"""

"""Labelled MPTCP connections of this machine's own kernel, from the scenarios of the simulator.

The network of a scenario is that of ``simulator/``: hosts, and between them queues, lines and delays. Here the hosts
are network namespaces, and everything between them is one program, the relay (``relay/``, C++), which takes packets
from a TUN device in each namespace and hands them over when they are due. So neither netem nor tbf is needed, every
machine shapes alike, and how late packets were handed over is known.

- :mod:`smartsbd.testbed.refusal`: what of a scenario this kernel does not have, by name.
- :mod:`smartsbd.testbed.relay_network`: a scenario as ports and routes of the relay. Pure.
- :mod:`smartsbd.testbed.machine`: capabilities, programs and controllers that are needed.
- :mod:`smartsbd.testbed.isolation`: a run in namespaces of its own (mount, network, PID). When it ends or is killed,
  whatever was in them is gone with them: processes, network namespaces, devices. Nothing is made outside.
- :mod:`smartsbd.testbed.emulation`: the run, within. It is process 1 there.
- :mod:`smartsbd.testbed.running_program`, :mod:`smartsbd.testbed.hosts`: its programs; its namespaces.
- :mod:`smartsbd.testbed.sender`, :mod:`smartsbd.testbed.receiver`, :mod:`smartsbd.testbed.rival`: programs on the
  hosts.
- :mod:`smartsbd.testbed.measurement`: what the relay counted, as the simulator's truth has it.
- :mod:`smartsbd.testbed.logged_subflows`: which subflows a log has, and how many samples of each.
- :mod:`smartsbd.testbed.dataset_folder`: logs, captures, truth, utilisation and lateness of all runs.

A label says what the scenario has set up, as in the simulator: two subflows share their bottleneck while the links
that are meant to limit them are the same. ``utilisation.csv`` says whether these were full.
"""

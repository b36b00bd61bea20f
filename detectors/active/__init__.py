"""An active check of "shared": a sender moves the windows of its subflows, and looks for that in their RTTs.

Passive tests know what moves together, not why. Two links whose capacity changes at the same times look like one. Here
the sender moves the window of each subflow by a sixteenth, up and down in random order. RTTs of another subflow can
follow that order only by way of a queue that both pass. :mod:`.dithered_pair` is the statistic, in integers, and
``sbd_active.h`` its twin in C.
"""

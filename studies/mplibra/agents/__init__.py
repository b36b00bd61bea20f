"""Agents that learn a sender's rate: networks, DDPG, rewards, and the file that the simulator reads."""

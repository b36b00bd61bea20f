"""What is simulated: scenarios, the distributions they are drawn from, and running the simulator."""

"""Last verdicts under each controller, scheduler and receive buffer at the sender."""

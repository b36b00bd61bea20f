"""What is met before a command: the first page of help, did-you-mean, completion in the shell; and its inputs."""

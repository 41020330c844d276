"""The work of commands: experiments, their plans and estimates, checks of runs, and gold data."""

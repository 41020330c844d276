"""What commands run: experiments, their plans and estimates, checks of runs, and gold data."""

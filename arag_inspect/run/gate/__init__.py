"""Rules for a new run, alone or against an earlier one."""

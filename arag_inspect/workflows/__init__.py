"""What runs whole evaluations: comparisons, the demo, judging again, silver references."""

"""What several scorers use."""

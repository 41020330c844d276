"""Models that embed sentences: their files, and checks that machines embed alike."""

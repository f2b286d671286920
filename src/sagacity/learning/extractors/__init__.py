"""What reads a window and proposes candidates."""

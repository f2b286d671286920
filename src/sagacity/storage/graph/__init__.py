"""What a user's memories name, and how it belongs together: learned, walked, and corrected by people."""

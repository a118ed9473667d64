"""What engines are sent and what they answer: a Chat → a body; an engine's bytes → events."""

"""Pictures of water, made of light."""

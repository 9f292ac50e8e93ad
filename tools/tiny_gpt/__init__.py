"""What `tools/train_tiny_gpt.py` is made of: poems, two language models, and what is written beside the weights."""

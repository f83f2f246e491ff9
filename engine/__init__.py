"""The rules of Twenty-Two as a pure state machine: values in, values out."""

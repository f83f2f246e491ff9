"""What a pod's program finds in place of its board's modules when it runs on a PC."""

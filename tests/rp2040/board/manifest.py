"""What is frozen into the firmware: what mounts the files, and asyncio. The pod's program is in the files."""

freeze("$(PORT_DIR)/modules")  # noqa: F821 - names of MicroPython's manifests
include("$(MPY_DIR)/extmod/asyncio")  # noqa: F821

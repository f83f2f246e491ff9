"""What is wired to which pin of the pod's board: the one file to change for another wiring."""

PANEL = "ssd1306"
"""The panel's chip: ``"ssd1306"`` or ``"sh1106"``."""
ADDRESS = 0x3C
"""The panel's I2C address: 0x3C or 0x3D."""
UPSIDE_DOWN = False
"""True if the panel is mounted upside down."""
OFFSET = None
"""First column of an SH1106's memory that is seen, 0 to 4; None: 2, as usual. An SSD1306 has no choice."""

I2C = 0
SDA, SCL = 4, 5
"""The I2C controller, and GPIO numbers that it can have (Pico datasheet, pinout)."""
I2C_HZ = 400_000

LEFT, RIGHT, MARK, PLAY = 10, 11, 12, 13
"""GPIO numbers of the buttons, each to ground: the pull-ups of the chip are used."""
LAMP = 15
"""GPIO number of the lamp, lit while high; None: the pod has no lamp."""

UART = None
"""None: the table is on the USB socket. Else a UART: (number, tx, rx, baud), as (1, 8, 9, 115_200)."""

SETTLE_MS = 15
"""How long a button's level must hold before it counts."""

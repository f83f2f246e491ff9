// A Raspberry Pi Pico as MicroPython knows it, but for USB: the prompt is on UART 0.
#define MICROPY_HW_BOARD_NAME "Pico without USB"
#define MICROPY_HW_FLASH_STORAGE_BYTES (1408 * 1024)
#define MICROPY_HW_ENABLE_USBDEV (0)
#define MICROPY_HW_ENABLE_UART_REPL (1)

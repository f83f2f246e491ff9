// SPDX-License-Identifier: MIT
/*
 * An I2C adapter without hardware: a TCA9548A on the trunk, a panel behind each of its channels.
 *
 * Every message is put into a log, to be read from /dev/wire as records of twelve bytes and the payload:
 * u64 time (CLOCK_MONOTONIC, ns, at the end of the message), u8 address, u8 flags, u16 length of the payload.
 * Byte order is the machine's. A message that nobody acknowledged has no payload.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/i2c.h>
#include <linux/kfifo.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>

#define MUX_ADDRESS	0x70
#define PANEL_ADDRESS	0x3c
#define LOG_BYTES	(4 << 20)

enum { FLAG_READ = 1, FLAG_STOP = 2, FLAG_NACK = 4 };

struct record {
	u64 at;
	u8 address;
	u8 flags;
	u16 length;
} __packed;

static ushort present = 0x3f;
module_param(present, ushort, 0644);
MODULE_PARM_DESC(present, "channels whose panel answers, one bit each");

static ushort mux = 1;
module_param(mux, ushort, 0644);
MODULE_PARM_DESC(mux, "whether the mux answers");

static uint khz = 400;
module_param(khz, uint, 0644);
MODULE_PARM_DESC(khz, "bits a millisecond; a transfer takes the time that it would take on a wire");

static DEFINE_MUTEX(lock);
static struct kfifo log;
static bool overflow;
static u8 selected;	/* written to the mux, valid after the next STOP */
static u8 open;		/* channels that are connected now */

static bool acknowledged(u16 address)
{
	if (address == MUX_ADDRESS)
		return mux;
	return address == PANEL_ADDRESS && (open & present);
}

static void put(const struct i2c_msg *msg, u8 flags)
{
	struct record record = {
		.at = ktime_get_ns(),
		.address = msg->addr,
		.flags = flags,
		.length = flags & FLAG_NACK ? 0 : msg->len,
	};

	if (kfifo_avail(&log) < sizeof(record) + record.length) {
		overflow = true;
		return;
	}
	kfifo_in(&log, &record, sizeof(record));
	kfifo_in(&log, msg->buf, record.length);
}

/* START, the address and each byte with its acknowledgement, STOP. */
static void pass_time(unsigned int bytes)
{
	unsigned int us = (2 + 9 * (1 + bytes)) * 1000 / max(khz, 1u);

	usleep_range(us, us + us / 8 + 10);
}

static int wire_transfer(struct i2c_adapter *adapter, struct i2c_msg *msgs, int count)
{
	int i, result = count;

	mutex_lock(&lock);
	for (i = 0; i < count; i++) {
		struct i2c_msg *msg = &msgs[i];
		u8 flags = i == count - 1 ? FLAG_STOP : 0;

		if (!acknowledged(msg->addr)) {
			pass_time(0);
			put(msg, FLAG_NACK | FLAG_STOP);
			result = -EREMOTEIO;	/* as the Pi's adapter says it */
			break;
		}
		pass_time(msg->len);
		if (msg->flags & I2C_M_RD) {
			flags |= FLAG_READ;
			memset(msg->buf, msg->addr == MUX_ADDRESS ? open : 0, msg->len);
		} else if (msg->addr == MUX_ADDRESS && msg->len) {
			selected = msg->buf[msg->len - 1];
		}
		put(msg, flags);
	}
	open = selected;
	mutex_unlock(&lock);
	return result;
}

static u32 wire_functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm wire_algorithm = {
	.master_xfer = wire_transfer,
	.functionality = wire_functionality,
};

static struct i2c_adapter wire_adapter = {
	.owner = THIS_MODULE,
	.algo = &wire_algorithm,
	.name = "wire",
};

static ssize_t log_read(struct file *file, char __user *to, size_t size, loff_t *offset)
{
	unsigned int copied = 0;
	int error;

	mutex_lock(&lock);
	error = overflow ? -EOVERFLOW : kfifo_to_user(&log, to, size, &copied);
	mutex_unlock(&lock);
	return error ? error : copied;
}

static const struct file_operations log_operations = { .owner = THIS_MODULE, .read = log_read };
static struct miscdevice log_device = { .minor = MISC_DYNAMIC_MINOR, .name = "wire", .fops = &log_operations };

static int __init wire_init(void)
{
	int error = kfifo_alloc(&log, LOG_BYTES, GFP_KERNEL);

	if (error)
		return error;
	error = misc_register(&log_device);
	if (error)
		goto free_log;
	error = i2c_add_adapter(&wire_adapter);
	if (error)
		goto deregister_log;
	return 0;

deregister_log:
	misc_deregister(&log_device);
free_log:
	kfifo_free(&log);
	return error;
}

static void __exit wire_exit(void)
{
	i2c_del_adapter(&wire_adapter);
	misc_deregister(&log_device);
	kfifo_free(&log);
}

module_init(wire_init);
module_exit(wire_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("A logged I2C wire with a TCA9548A and panels, without hardware");

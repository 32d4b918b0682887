"""Delays what is routed to the device `slow` by so many seconds, and loses a part of it: `slow-link.py <seconds> <part>`.

What tc's netem does, for kernels that are built without it. What comes out of the device goes back into it, and is
routed on from there.
"""
import collections, fcntl, os, random, select, struct, sys, time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
delay, loss = float(sys.argv[1]), float(sys.argv[2])
device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"slow", IFF_TUN | IFF_NO_PI))
print("ready", flush=True)

waiting = collections.deque()
while True:
    wait = max(0, waiting[0][0] - time.monotonic()) if waiting else None
    readable, _, _ = select.select([device, sys.stdin], [], [], wait)
    if sys.stdin in readable:
        break  # Our starter is gone.
    if device in readable:
        packet = os.read(device, 65536)
        if random.random() >= loss:
            waiting.append((time.monotonic() + delay, packet))
    while waiting and waiting[0][0] <= time.monotonic():
        os.write(device, waiting.popleft()[1])

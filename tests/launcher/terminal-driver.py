"""Types at a program in a pseudo-terminal: steps as JSON on stdin, what happened as JSON on stdout."""
import errno, fcntl, json, os, pty, re, select, signal, struct, sys, termios, time

steps = json.load(sys.stdin)
argv = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvpe(argv[0], argv, os.environ)


def resize(rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


resize(24, 80)
seen = b""
searched = 0
failure = None


def read_some(timeout):
    global seen
    ready, _, _ = select.select([terminal], [], [], timeout)
    if not ready:
        return True
    try:
        chunk = os.read(terminal, 65536)
    except OSError as error:
        if error.errno == errno.EIO:
            return False
        raise
    seen += chunk
    return bool(chunk)


def expect(text):
    global searched
    wanted = text.encode()
    limit = time.monotonic() + 200
    while True:
        at = seen.find(wanted, searched)
        if at >= 0:
            searched = at + len(wanted)
            return True
        if time.monotonic() > limit or not read_some(0.5):
            if seen.find(wanted, searched) < 0:
                return False


for number, step in enumerate(steps):
    if "expect" in step and not expect(step["expect"]):
        failure = {"step": number, "expected": step["expect"]}
        break
    if "send" in step:
        os.write(terminal, step["send"].encode())
    if "sendShown" in step:
        found = re.findall(step["sendShown"].encode(), seen)
        os.write(terminal, (found[-1] if found else b"") + b"\n")
    if "resize" in step:
        resize(*step["resize"])
if failure:
    os.killpg(child, signal.SIGKILL)
os.close(terminal)
_, status = os.waitpid(child, 0)
json.dump({"failure": failure, "output": seen.decode("utf8", "replace")}, sys.stdout)

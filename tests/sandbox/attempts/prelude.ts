/** What the scripts in Python begin with: calls by name, and words for what they found out. */
export const PRELUDE = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
HOME, OUT = os.environ["HOME"], os.environ["OUT"]
PORT = int(os.environ["PORT"])
NUMBERS = {
  "x86_64": dict(mount=165, umount2=166, pivot_root=155, move_mount=429, open_tree=428, fsopen=430, fsconfig=431,
    fsmount=432, fspick=433, mount_setattr=442, setns=308, chroot=161, bpf=321, keyctl=250, add_key=248,
    request_key=249, io_uring_setup=425, io_uring_enter=426, io_uring_register=427, userfaultfd=323,
    perf_event_open=298, kexec_load=246, init_module=175, finit_module=313, delete_module=176, reboot=169,
    swapon=167, swapoff=168, acct=163, quotactl=179, syslog=103, clock_settime=227, settimeofday=164,
    sethostname=170, vhangup=153, unshare=272, clone=56, clone3=435, ptrace=101, pidfd_open=434,
    pidfd_send_signal=424, ioctl=16, renameat2=316, name_to_handle_at=303, open_by_handle_at=304),
  "aarch64": dict(mount=40, umount2=39, pivot_root=41, move_mount=429, open_tree=428, fsopen=430, fsconfig=431,
    fsmount=432, fspick=433, mount_setattr=442, setns=268, chroot=51, bpf=280, keyctl=219, add_key=217,
    request_key=218, io_uring_setup=425, io_uring_enter=426, io_uring_register=427, userfaultfd=282,
    perf_event_open=241, kexec_load=104, init_module=105, finit_module=273, delete_module=106, reboot=142,
    swapon=224, swapoff=225, acct=89, quotactl=60, syslog=116, clock_settime=112, settimeofday=170,
    sethostname=161, vhangup=58, unshare=97, clone=220, clone3=435, ptrace=117, pidfd_open=434,
    pidfd_send_signal=424, ioctl=29, renameat2=276, name_to_handle_at=264, open_by_handle_at=265),
}[os.uname().machine]
def syscall(name, *words):
    libc.syscall.restype = ctypes.c_long
    return libc.syscall(NUMBERS[name], *[ctypes.c_long(w) if isinstance(w, int) else w for w in words])
def escaped():
    print("ESCAPED", flush=True)
def check(result, proves=True):
    if result == -1: sys.exit(os.strerror(ctypes.get_errno()))
    if proves: escaped()
    return result
`;

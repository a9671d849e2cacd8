//! System calls that the command does not need and that reach past the other layers.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};

use crate::failure::{Because, Part, Result};
use crate::policy::{Layer, Network, Policy};

/// Mounts, other people's memory and handles, the kernel itself, the machine's clock and power.
const REFUSED: &[i64] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_chroot,
    libc::SYS_open_by_handle_at,
    libc::SYS_bpf,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_perf_event_open,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];
const OPEN_TREE_ATTR: i64 = 467;

const NAMESPACES: [i32; 8] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    CLONE_NEWTIME,
];
const CLONE_NEWTIME: i32 = 0x80;

/// Typing into a terminal, and reading its screen, in other people's names; what its keys type; other drivers for it. And
/// copies of whole folders of btrfs, in which nothing is hidden.
const REQUESTS: [u64; 11] = [
    libc::TIOCSTI as u64,
    libc::TIOCLINUX as u64,
    libc::TIOCCONS as u64,
    libc::TIOCSETD as u64,
    KDSKBENT,
    KDSKBSENT,
    KDSKBDIACR,
    KDSETKEYCODE,
    KDSKBDIACRUC,
    BTRFS_IOC_SNAP_CREATE,
    BTRFS_IOC_SNAP_CREATE_V2,
];
const KDSKBENT: u64 = 0x4B47;
const KDSKBSENT: u64 = 0x4B49;
const KDSKBDIACR: u64 = 0x4B4B;
const KDSETKEYCODE: u64 = 0x4B4D;
const KDSKBDIACRUC: u64 = 0x4BFB;
const BTRFS_IOC_SNAP_CREATE: u64 = 0x5000_9401;
const BTRFS_IOC_SNAP_CREATE_V2: u64 = 0x5000_9417;

/// The families of sockets that ordinary programs use; the others reach devices, hypervisors and the kernel.
const FAMILIES: [i32; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

pub fn restrict_calls(policy: &Policy) -> Result<()> {
    let part = Part::Seccomp;
    // With a network of its own the command may open any socket; it leads nowhere.
    let has_network = policy.network != Network::Off || policy.has(Layer::Namespaces);
    // Without one, a socket with a path still leads to services outside; pairs of sockets lead nowhere.
    let families: &[i32] = if has_network { &FAMILIES } else { &[] };
    let programs = [
        // The wrapper of libc falls back to `clone`, whose flags can be read here.
        filter([(libc::SYS_clone3, vec![])].into(), libc::ENOSYS),
        filter(refused(families).because(part, "rules")?, libc::EPERM),
    ];
    for program in programs {
        apply_filter(&program.because(part, "compiling")?).because(part, "applying")?;
    }
    #[cfg(target_arch = "x86_64")]
    apply_filter(&without_x32()).because(part, "applying")?;
    Ok(())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Compiled<T> = std::result::Result<T, seccompiler::BackendError>;

fn refused(families: &[i32]) -> Compiled<Rules> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, vec![])).collect();
    for call in [libc::SYS_unshare, libc::SYS_clone] {
        let each = |flag: &i32| {
            let is_set = SeccompCmpOp::MaskedEq(*flag as u32 as u64);
            SeccompRule::new(vec![SeccompCondition::new(0, SeccompCmpArgLen::Dword, is_set, *flag as u32 as u64)?])
        };
        // The low byte of clone's flags is a signal's number, and there is no such namespace to be made by it.
        let flags = NAMESPACES.iter().filter(|flag| call == libc::SYS_unshare || **flag != CLONE_NEWTIME);
        rules.insert(call, flags.map(each).collect::<Compiled<_>>()?);
    }
    let each = |request: &u64| {
        SeccompRule::new(vec![SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, *request)?])
    };
    rules.insert(libc::SYS_ioctl, REQUESTS.iter().map(each).collect::<Compiled<_>>()?);
    let others = |family: &i32| SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, *family as u64);
    let unless = |families: &[i32]| match families {
        [] => Ok(vec![]),
        _ => Ok(vec![SeccompRule::new(families.iter().map(others).collect::<Compiled<Vec<_>>>()?)?]),
    };
    rules.insert(libc::SYS_socket, unless(families)?);
    rules.insert(libc::SYS_socketpair, unless(&[libc::AF_UNIX])?);
    Ok(rules)
}

fn filter(rules: Rules, error: i32) -> Compiled<BpfProgram> {
    let machine = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(error as u32), machine)?.try_into()
}

/// The same calls have other numbers there, which no rule above knows.
#[cfg(target_arch = "x86_64")]
fn without_x32() -> BpfProgram {
    use seccompiler::sock_filter;
    const X32: u32 = 0x4000_0000;
    let instruction = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    vec![
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

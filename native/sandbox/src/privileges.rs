//! What a process gives up for good before the command runs.

use std::io;

use rustix::process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, set_capabilities, set_no_new_privs,
};

use crate::failure::{Because, Part, Result};
use crate::policy::Limits;

const CAPABILITIES: i32 = 64;

/// No capability is left, and none comes back with a program that root or somebody else owns.
pub fn drop_privileges() -> Result<()> {
    let drop = || -> io::Result<()> {
        for capability in 0..CAPABILITIES {
            // Refused to those who have none of their own; then there is none to lose.
            if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } != 0 {
                break;
            }
        }
        clear_ambient_capability_set()?;
        let none = CapabilitySet::empty();
        set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
        set_no_new_privs(true)?;
        Ok(())
    };
    drop().because(Part::Privileges, "giving up capabilities")
}

/// Nobody inside reads this process's memory or environment, where what was taken out of the command's still stands.
pub fn hide_memory() -> Result<()> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable).because(Part::Privileges, "hiding its memory")
}

pub fn set_limits(limits: Option<&Limits>) -> Result<()> {
    let set = |resource, value| {
        let limit = Rlimit { current: Some(value), maximum: Some(value) };
        setrlimit(resource, limit).because(Part::Privileges, "limits")
    };
    // The kernel still starts a program that takes core dumps at 0, and none at 1. Who is held to 0 cannot have 1.
    let highest = getrlimit(Resource::Core).maximum.unwrap_or(1);
    set(Resource::Core, highest.min(1))?;
    if let Some(processes) = limits.and_then(|limits| limits.processes) {
        set(Resource::Nproc, processes)?;
    }
    if let Some(memory) = limits.and_then(|limits| limits.memory) {
        set(Resource::As, memory)?;
    }
    Ok(())
}

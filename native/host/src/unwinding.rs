//! Nothing unwinds here: a panic has last words and ends the process. The precompiled parts still name the
//! functions that would unwind.

use crate::crash;

#[unsafe(no_mangle)]
pub extern "C" fn rust_eh_personality() -> ! {
    crash::answer()
}

#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
pub extern "C" fn __gcc_personality_v0() -> ! {
    crash::answer()
}

#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
pub extern "C" fn _Unwind_Resume() -> ! {
    crash::answer()
}

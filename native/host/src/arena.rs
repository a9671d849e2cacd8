//! The memory of a run. Everything lies in one range at a fixed address, so that the engine as it is after
//! loading the hooks can be written to a file at build time and mapped back at every start.
//!
//! The process has one thread. Where the range is taken, the system's allocator serves and nothing is mapped.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::UnsafeCell,
    ptr,
};

#[global_allocator]
static ARENA: Arena = Arena(UnsafeCell::new(State::Unknown));

/// Free in every address-space layout from 39 bits up.
const BASE: usize = 0x20_0000_0000;
const LENGTH: usize = 512 * 1024 * 1024;
const PAGE: usize = 64 * 1024;
/// Larger blocks go back to the operating system when they are freed.
const LARGEST: usize = 256 * 1024;
const STEP: usize = 16;
const FINE_CLASSES: usize = 64;
const CLASSES: usize = FINE_CLASSES + 4 * 20;
const MAGIC: u64 = u64::from_le_bytes(*b"amplimg1");
/// What stands at the very end of an executable that carries an image: where it begins, how long it is, a mark.
const TRAILER: usize = 24;

struct Arena(UnsafeCell<State>);

#[derive(Clone, Copy, PartialEq)]
enum State {
    Unknown,
    Absent,
    Present,
}

// SAFETY: the process has one thread.
unsafe impl Sync for Arena {}

/// Stands at the base of the range and is part of the image.
struct Head {
    top: usize,
    root: usize,
    is_writing: bool,
    free: [usize; CLASSES],
}

fn head() -> &'static mut Head {
    // SAFETY: called only when the range is mapped; one thread, and no reference outlives its statement.
    unsafe { &mut *(BASE as *mut Head) }
}

fn class_of(size: usize) -> (usize, usize) {
    if size <= FINE_CLASSES * STEP {
        let class = size.div_ceil(STEP).max(1);
        return (class - 1, class * STEP);
    }
    // Four classes to every doubling.
    let doubling = (size - 1).ilog2() as usize;
    let quarter = 1_usize << (doubling - 2);
    let rounded = size.div_ceil(quarter) * quarter;
    let within = (rounded - (1 << doubling)) / quarter - 1;
    (FINE_CLASSES + (doubling - 10) * 4 + within, rounded)
}

impl Arena {
    fn is_present(&self) -> bool {
        // SAFETY: one thread.
        unsafe {
            if *self.0.get() == State::Unknown {
                *self.0.get() = if attach() { State::Present } else { State::Absent };
            }
            *self.0.get() == State::Present
        }
    }

    fn serves(&self, layout: &Layout) -> bool {
        layout.align() <= STEP && self.is_present() && (layout.size() <= LARGEST || head().is_writing)
    }
}

/// Memory nobody has touched, so it is zero.
fn take_fresh(size: usize) -> *mut u8 {
    let head = head();
    if head.top + size > BASE + LENGTH {
        return ptr::null_mut();
    }
    head.top += size;
    (head.top - size) as *mut u8
}

fn holds(block: *mut u8) -> bool {
    (BASE..BASE + LENGTH).contains(&(block as usize))
}

// SAFETY: blocks come from disjoint parts of the range or from the system's allocator, told apart by address.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !self.serves(&layout) {
            // SAFETY: the caller's layout is passed on.
            return unsafe { System.alloc(layout) };
        }
        let (class, size) = class_of(layout.size());
        let head = head();
        let block = head.free[class];
        if block == 0 {
            return take_fresh(size);
        }
        // SAFETY: a free block holds the address of the next one.
        head.free[class] = unsafe { *(block as *const usize) };
        block as *mut u8
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !self.serves(&layout) {
            // SAFETY: the caller's layout is passed on.
            return unsafe { System.alloc_zeroed(layout) };
        }
        let (class, size) = class_of(layout.size());
        if head().free[class] == 0 {
            return take_fresh(size);
        }
        // SAFETY: the block was just made and is as long as the layout says.
        unsafe {
            let block = self.alloc(layout);
            ptr::write_bytes(block, 0, layout.size());
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !holds(block) {
            // SAFETY: what lies outside the range came from there.
            return unsafe { System.dealloc(block, layout) };
        }
        let (class, _) = class_of(layout.size());
        let head = head();
        // SAFETY: every block is large and aligned enough for an address.
        unsafe { *(block as *mut usize) = head.free[class] };
        head.free[class] = block as usize;
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promised; a block is copied up to the smaller of both sizes.
        unsafe {
            let wanted = Layout::from_size_align_unchecked(size, layout.align());
            if !holds(block) && !self.serves(&wanted) {
                return System.realloc(block, layout, size);
            }
            if holds(block) && size <= LARGEST && class_of(size).0 == class_of(layout.size()).0 {
                return block;
            }
            let moved = self.alloc(wanted);
            if !moved.is_null() {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

/// Maps the range, with the image of this executable at its beginning if it carries one.
fn attach() -> bool {
    const WRITABLE: i32 = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the range is asked for without replacing anything; the image then lies inside it. Nothing here
    // allocates.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed_flag();
        let range = libc::mmap(BASE as *mut _, LENGTH, WRITABLE, flags, -1, 0);
        if range as usize != BASE {
            if range != libc::MAP_FAILED {
                libc::munmap(range, LENGTH);
            }
            return false;
        }
        if !map_image() {
            head().top = BASE + size_of::<Head>().next_multiple_of(STEP);
        }
        true
    }
}

#[cfg(target_os = "linux")]
fn fixed_flag() -> i32 {
    libc::MAP_FIXED_NOREPLACE
}

#[cfg(not(target_os = "linux"))]
fn fixed_flag() -> i32 {
    0
}

#[cfg(not(target_os = "linux"))]
unsafe fn map_image() -> bool {
    false
}

#[cfg(target_os = "linux")]
unsafe fn map_image() -> bool {
    // SAFETY: plain system calls on a descriptor of our own; the image was written for this very executable.
    unsafe {
        let file = libc::open(c"/proc/self/exe".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return false;
        }
        let end = libc::lseek(file, 0, libc::SEEK_END);
        let mut trailer = [0_u64; TRAILER / 8];
        let read = libc::pread(file, trailer.as_mut_ptr().cast(), TRAILER, end - TRAILER as i64);
        let [offset, length, mark] = trailer;
        let is_there = read == TRAILER as isize && mark == MAGIC && length as usize <= LENGTH;
        let flags = libc::MAP_PRIVATE | libc::MAP_FIXED;
        let is_mapped = is_there
            && libc::mmap(
                BASE as *mut _,
                length as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                flags,
                file,
                offset as i64,
            ) as usize
                == BASE;
        libc::close(file);
        is_mapped
    }
}

/// What the image was made of; none when this executable carries no image.
pub fn root<T>() -> Option<&'static T> {
    if !ARENA.is_present() || head().root == 0 {
        return None;
    }
    // SAFETY: `write_image` stored the address of a leaked `T`.
    Some(unsafe { &*(head().root as *const T) })
}

/// From here on everything lies in the range, also what is large. False where there is no range.
pub fn begin_image() -> bool {
    let is_possible = cfg!(target_os = "linux") && ARENA.is_present() && head().root == 0;
    if is_possible {
        head().is_writing = true;
    }
    is_possible
}

/// The bytes to append to the executable, whose length now is `length`.
pub fn write_image<T>(root: T, length: usize, write: impl Fn(&[u8])) {
    head().root = Box::leak(Box::new(root)) as *const T as usize;
    head().is_writing = false;
    // Blocks freed so far lie scattered; new ones side by side touch fewer pages.
    head().free = [0; CLASSES];
    let offset = length.next_multiple_of(PAGE);
    write(&[0; PAGE][..offset - length]);
    // The rest of the last page stays zero, as fresh memory is.
    head().top = head().top.next_multiple_of(PAGE);
    // SAFETY: the range is mapped and nothing is allocated while it is read.
    write(unsafe { std::slice::from_raw_parts(BASE as *const u8, head().top - BASE) });
    for word in [offset as u64, (head().top - BASE) as u64, MAGIC] {
        write(&word.to_le_bytes());
    }
}

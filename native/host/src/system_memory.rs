//! The allocator of the C library.

use core::{
    alloc::{GlobalAlloc, Layout},
    ptr,
};

#[cfg(not(target_os = "linux"))]
#[global_allocator]
static MEMORY: SystemMemory = SystemMemory;

pub struct SystemMemory;

/// What every block of the C library is aligned to.
const ALIGN: usize = 16;

// SAFETY: the C library keeps the contract of an allocator.
unsafe impl GlobalAlloc for SystemMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: plain calls.
        unsafe {
            if layout.align() <= ALIGN {
                return libc::malloc(layout.size()).cast();
            }
            let mut block = ptr::null_mut();
            libc::posix_memalign(&mut block, layout.align(), layout.size());
            block.cast()
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: plain calls; an aligned block was just made that long.
        unsafe {
            if layout.align() <= ALIGN {
                return libc::calloc(1, layout.size()).cast();
            }
            let block = self.alloc(layout);
            if !block.is_null() {
                ptr::write_bytes(block, 0, layout.size());
            }
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the block came from the C library.
        unsafe { libc::free(block.cast()) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the block came from the C library; with a wider alignment it is moved by hand.
        unsafe {
            if layout.align() <= ALIGN {
                return libc::realloc(block.cast(), size).cast();
            }
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

//! The memory of a run: blocks of sixteen-byte steps out of one range that the kernel backs with huge pages
//! where it can, which costs one page fault instead of hundreds. Nothing goes back before the process ends,
//! except blocks too large for the range. The process has one thread.

use crate::{image, image_writer, system_memory::SystemMemory as System};
use core::{
    alloc::{GlobalAlloc, Layout},
    ptr,
};
use rquickjs::allocator::Allocator;

#[global_allocator]
static MEMORY: Memory = Memory;

/// Free in every address-space layout from 39 bits up, and where an image begins.
pub const BASE: usize = 0x20_0000_0000;
const LENGTH: usize = 512 * 1024 * 1024;
/// A huge page of x86-64 and of arm64 with small pages.
const SPAN: usize = 2 * 1024 * 1024;
/// Larger blocks go back to the operating system when they are freed.
const LARGEST: usize = 256 * 1024;
const STEP: usize = 16;
const FINE_CLASSES: usize = 64;
const CLASSES: usize = FINE_CLASSES + 4 * 8;

struct Memory;

struct Heap {
    next: usize,
    end: usize,
    free: [usize; CLASSES],
}

/// Until it is opened everything comes from the system's allocator.
static mut HEAP: Heap = Heap { next: 0, end: 0, free: [0; CLASSES] };

#[inline(always)]
fn heap() -> &'static mut Heap {
    // SAFETY: one thread, and no reference outlives its use.
    unsafe { &mut *(&raw mut HEAP) }
}

/// Opens the range, whose first `taken` bytes belong to the caller. False where it cannot be had.
pub fn open(taken: usize) -> bool {
    let heap = heap();
    heap.next = (BASE + taken).next_multiple_of(STEP);
    heap.end = BASE;
    grow(heap, taken + SPAN / 4)
}

/// True if `size` more bytes fit now.
fn grow(heap: &mut Heap, size: usize) -> bool {
    let length = size.next_multiple_of(SPAN);
    let is_mapped = heap.end + length <= BASE + LENGTH && map(heap.end, length);
    if is_mapped {
        // SAFETY: the range was just mapped; the advice may be refused.
        unsafe { libc::madvise(heap.end as *mut _, length, libc::MADV_HUGEPAGE) };
        heap.end += length;
    }
    is_mapped
}

/// Fresh memory at this very address; false where something is there already or nothing can be had.
pub fn map(address: usize, length: usize) -> bool {
    const FLAGS: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: nothing is replaced. Kernels that do not know the flag may map elsewhere.
    unsafe {
        let mapped = libc::mmap(address as *mut _, length, libc::PROT_READ | libc::PROT_WRITE, FLAGS, -1, 0);
        if mapped as usize == address {
            return true;
        }
        if mapped != libc::MAP_FAILED {
            libc::munmap(mapped, length);
        }
        false
    }
}

#[inline(always)]
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

#[inline(always)]
fn is_served(layout: &Layout) -> bool {
    heap().end != 0 && layout.size() <= LARGEST && layout.align() <= STEP
}

/// Memory nobody has touched, so it is zero; null when the range is used up.
fn take_fresh(size: usize) -> *mut u8 {
    let heap = heap();
    if heap.next + size > heap.end && !grow(heap, size) {
        return ptr::null_mut();
    }
    heap.next += size;
    (heap.next - size) as *mut u8
}

fn holds(block: *mut u8) -> bool {
    (BASE..BASE + LENGTH).contains(&(block as usize))
}

// SAFETY: blocks come from disjoint parts of the range, from an image or from the system's allocator, told apart
// by address. Blocks of an image are never given out again.
unsafe impl GlobalAlloc for Memory {
    #[inline(always)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if image_writer::is_active() {
            return image_writer::place(layout);
        }
        if !is_served(&layout) {
            // SAFETY: the caller's layout is passed on.
            return unsafe { System.alloc(layout) };
        }
        let (class, size) = class_of(layout.size());
        let heap = heap();
        let block = heap.free[class];
        if block == 0 {
            return take_fresh(size);
        }
        // SAFETY: a free block holds the address of the next one.
        heap.free[class] = unsafe { *(block as *const usize) };
        block as *mut u8
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !image_writer::is_active() {
            if !is_served(&layout) {
                // SAFETY: the caller's layout is passed on.
                return unsafe { System.alloc_zeroed(layout) };
            }
            let (class, size) = class_of(layout.size());
            if heap().free[class] == 0 {
                return take_fresh(size);
            }
        }
        // SAFETY: the block was just made and is as long as the layout says.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                ptr::write_bytes(block, 0, layout.size());
            }
            block
        }
    }

    #[inline(always)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if image::holds(block) {
            return image_writer::forget(block);
        }
        if !holds(block) {
            // SAFETY: what lies outside came from there.
            return unsafe { System.dealloc(block, layout) };
        }
        let (class, _) = class_of(layout.size());
        let heap = heap();
        // SAFETY: every block is large and aligned enough for an address.
        unsafe { *(block as *mut usize) = heap.free[class] };
        heap.free[class] = block as usize;
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promised; a block is copied up to the smaller of both sizes.
        unsafe {
            let wanted = Layout::from_size_align_unchecked(size, layout.align());
            if !image_writer::is_active() && !image::holds(block) {
                if !holds(block) && !is_served(&wanted) {
                    return System.realloc(block, layout, size);
                }
                if holds(block) && size <= LARGEST && class_of(size).0 == class_of(layout.size()).0 {
                    return block;
                }
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

/// The engine's blocks. It frees them without saying how long they are, so a word before each says it; blocks
/// of an image go without, since they are never given out again.
pub struct EngineMemory;

const WORD: usize = size_of::<usize>();

fn layout_of(size: usize) -> Layout {
    // SAFETY: the engine asks for no more than its limit, far below what a layout may have.
    unsafe { Layout::from_size_align_unchecked(size.next_multiple_of(WORD) + WORD, WORD) }
}

fn size_of_block(block: *mut u8) -> usize {
    // SAFETY: `with_size` wrote it.
    unsafe { *(block.sub(WORD) as *const usize) }
}

fn with_size(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        return block;
    }
    // SAFETY: the block has a word more than was asked for.
    unsafe {
        *(block as *mut usize) = size.next_multiple_of(WORD);
        block.add(WORD)
    }
}

// SAFETY: every block is as long as asked for and aligned to a word.
unsafe impl Allocator for EngineMemory {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if image_writer::is_active() {
            return image_writer::place(Layout::from_size_align(size, WORD).expect("the engine asks for less than its limit"));
        }
        // SAFETY: the layout has a size.
        with_size(unsafe { MEMORY.alloc(layout_of(size)) }, size)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let Some(size) = count.checked_mul(size) else { return ptr::null_mut() };
        if image_writer::is_active() {
            let block = self.alloc(size);
            // SAFETY: the block was just made and is that long.
            unsafe { ptr::write_bytes(block, 0, size) };
            return block;
        }
        // SAFETY: the layout has a size.
        with_size(unsafe { MEMORY.alloc_zeroed(layout_of(size)) }, size)
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        if image::holds(block) {
            return image_writer::forget(block);
        }
        // SAFETY: the block was made by `alloc` with this layout.
        unsafe { MEMORY.dealloc(block.sub(WORD), layout_of(size_of_block(block))) }
    }

    unsafe fn realloc(&mut self, block: *mut u8, size: usize) -> *mut u8 {
        // SAFETY: as in `dealloc`; of a block of the image it is known only where its part of the image ends.
        unsafe {
            if !image_writer::is_active() && !image::holds(block) {
                let moved = MEMORY.realloc(block.sub(WORD), layout_of(size_of_block(block)), layout_of(size).size());
                return with_size(moved, size);
            }
            let moved = self.alloc(size);
            if !moved.is_null() {
                ptr::copy_nonoverlapping(block, moved, image::room_at(block).min(size));
                self.dealloc(block);
            }
            moved
        }
    }

    /// Nothing while an image is written: then the engine asks for the same blocks wherever they come to lie.
    unsafe fn usable_size(block: *mut u8) -> usize {
        if image_writer::is_active() || image::holds(block) { 0 } else { size_of_block(block) }
    }
}

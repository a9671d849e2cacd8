//! The engine with all hooks loaded, as `image_writer.rs` left it in the executable. What most runs touch is
//! copied to its place at once; the rest is compressed and comes when it is touched: nothing is mapped at its
//! addresses, so the first touch is a fault, and the handler of faults asks here.

use lz4_flex::block::decompress_into_with_dict;

use crate::{engine::Engine, files::File, image_writer, memory};

/// Everything of an image lies between here and `END`: what is loaded on demand, then what is copied at once.
pub const LOW: usize = 0x10_0000_0000;
pub const COLD: usize = 0x1f_0000_0000;
pub const BLOCK: usize = 16 * 1024;

/// On a page of its own: what is copied from page to page is copied fastest.
#[repr(align(4096))]
struct Aligned<T>(T);

/// The image as the build put it into the executable; a head of zeros when there is none.
#[unsafe(link_section = "image")]
static BYTES: Aligned<[u8; include_bytes!("../../generated/image.bin").len()]> =
    Aligned(*include_bytes!("../../generated/image.bin"));
/// The first bytes of an image say what it is; they are copied with the rest.
pub const HEAD: usize = 64;
/// What blocks have in common stands once, before all of them.
const DICTIONARY: usize = 48 * 1024;

static mut END: usize = memory::BASE;
static mut COLD_LENGTH: usize = 0;

/// The bytes as they are in the file, which is not what the compiler saw.
fn bytes() -> &'static [u8] {
    &core::hint::black_box(&BYTES).0
}

fn word(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..at + 4).map_or(0, |found| u32::from_le_bytes([found[0], found[1], found[2], found[3]]) as usize)
}

/// The engine of the image; none when this executable carries none.
pub fn attach() -> Option<&'static Engine> {
    let bytes = bytes();
    let [root, hot_length, cold_length, place] = [0, 4, 8, 16].map(|at| word(bytes, at));
    if !memory::open(hot_length) || root == 0 {
        return None;
    }
    // SAFETY: the range was just opened and is longer; the root was written as the address of an `Engine`.
    unsafe {
        END = memory::BASE + hot_length;
        COLD_LENGTH = cold_length;
        if !read_hot(place, hot_length) {
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), memory::BASE as *mut u8, hot_length);
        }
        Some(&*((memory::BASE + root) as *const Engine))
    }
}

/// Reads what is copied at every start from the file of the executable, which is faster than copying it from where
/// the file is mapped: no page of it has to be mapped first. False where that is not possible.
unsafe fn read_hot(place: usize, length: usize) -> bool {
    let Ok(executable) = File::open(b"/proc/self/exe", libc::O_RDONLY, 0) else { return false };
    // SAFETY: the range was opened and is longer.
    let count = unsafe { libc::pread(executable.0, memory::BASE as *mut _, length, place as libc::off_t) };
    count == length as isize
}

#[inline(always)]
pub fn holds(block: *mut u8) -> bool {
    // SAFETY: one thread.
    (LOW..unsafe { END }).contains(&(block as usize))
}

/// How many bytes may be read at a block of the image, of which only the beginning is known.
pub fn room_at(block: *mut u8) -> usize {
    let at = block as usize;
    // SAFETY: one thread.
    let end = if at >= memory::BASE { unsafe { END } } else { image_writer::end_of(at).unwrap_or(COLD + unsafe { COLD_LENGTH }) };
    end - at
}

/// While an image is written its parts end elsewhere.
pub fn widen(end: usize) {
    // SAFETY: one thread.
    unsafe { END = end };
}

/// Called by the handler of faults: true when what lies at `address` has now been loaded.
pub fn load_cold(address: usize) -> bool {
    // SAFETY: one thread; mapping without replacing fails for what was loaded before, which then is a crash.
    unsafe {
        let length = COLD_LENGTH;
        if !(COLD..COLD + length).contains(&address) {
            return false;
        }
        let span = BLOCK.max(libc::sysconf(libc::_SC_PAGESIZE) as usize);
        let start = (address - COLD) / span * span;
        if !memory::map(COLD + start, span) {
            return false;
        }
        let bytes = bytes();
        let dictionary = word(bytes, 4);
        let index = dictionary + DICTIONARY;
        let count = length.div_ceil(BLOCK);
        let data = index + (count + 1) * 4;
        (start / BLOCK..((start + span) / BLOCK).min(count)).all(|block| {
            let from = data + word(bytes, index + block * 4);
            let to = data + word(bytes, index + block * 4 + 4);
            let address = COLD + block * BLOCK;
            let target = core::slice::from_raw_parts_mut(address as *mut u8, BLOCK);
            let is_unpacked = bytes
                .get(from..to)
                .is_some_and(|packed| decompress_into_with_dict(packed, target, &bytes[dictionary..index]).is_ok());
            restore_addresses(address, word(bytes, 12) as u64);
            is_unpacked
        })
    }
}

/// Addresses of what is loaded on demand are kept relative to where they stand, marked in their upper bits.
unsafe fn restore_addresses(start: usize, mark: u64) {
    for place in (start..start + BLOCK).step_by(8) {
        // SAFETY: the block was just mapped.
        unsafe {
            let value = *(place as *const u64);
            if value >> 48 == mark {
                *(place as *mut u64) = (place as i64 + (value << 16) as i64 / 65_536) as u64;
            }
        }
    }
}

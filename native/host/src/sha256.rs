//! SHA-256, with the processor's own instructions where it has them.

use alloc::string::String;

const BLOCK: usize = 64;

/// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
const INITIAL: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// The same of the cube roots of the first 64 primes.
static ROUND_CONSTANTS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
];

pub struct Sha256 {
    state: [u32; 8],
    block: [u8; BLOCK],
    filled: usize,
    length: u64,
}

impl Sha256 {
    pub fn new() -> Sha256 {
        Sha256 { state: INITIAL, block: [0; BLOCK], filled: 0, length: 0 }
    }

    pub fn update(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let mut rest = bytes;
        if self.filled > 0 {
            let (first, others) = rest.split_at(rest.len().min(BLOCK - self.filled));
            self.block[self.filled..self.filled + first.len()].copy_from_slice(first);
            self.filled += first.len();
            rest = others;
            if self.filled == BLOCK {
                compress(&mut self.state, &self.block);
                self.filled = 0;
            }
        }
        if self.filled == 0 {
            let (whole, others) = rest.split_at(rest.len() - rest.len() % BLOCK);
            compress(&mut self.state, whole);
            self.block[..others.len()].copy_from_slice(others);
            self.filled = others.len();
        }
    }

    /// A one bit, zeros, and the length in bits end the content.
    pub fn finish(mut self) -> String {
        let bits = self.length * 8;
        let zeros = [0; BLOCK];
        self.update(&[0x80]);
        if self.filled > BLOCK - 8 {
            self.update(&zeros[self.filled..]);
        }
        self.update(&zeros[self.filled + 8..]);
        self.update(&bits.to_be_bytes());
        let digits = b"0123456789abcdef";
        let nibbles = self.state.iter().flat_map(|word| (0..8).rev().map(move |at| (word >> (at * 4)) & 15));
        nibbles.map(|nibble| char::from(digits[nibble as usize])).collect()
    }
}

/// `blocks` is a multiple of a block long.
fn compress(state: &mut [u32; 8], blocks: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    if intel::is_there() {
        // SAFETY: the processor has the instructions.
        return unsafe { intel::compress(state, blocks) };
    }
    for block in blocks.chunks_exact(BLOCK) {
        compress_one(state, block);
    }
}

fn compress_one(state: &mut [u32; 8], block: &[u8]) {
    let mut words = [0_u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for at in 16..64 {
        let (early, late) = (words[at - 15], words[at - 2]);
        let mixed_early = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
        let mixed_late = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
        words[at] = words[at - 16].wrapping_add(mixed_early).wrapping_add(words[at - 7]).wrapping_add(mixed_late);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in words.iter().zip(&ROUND_CONSTANTS) {
        let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h.wrapping_add(mixed).wrapping_add(choice).wrapping_add(*constant).wrapping_add(*word);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22)).wrapping_add(majority);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(second));
    }
    for (word, value) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(value);
    }
}

#[cfg(target_arch = "x86_64")]
mod intel {
    use super::{BLOCK, ROUND_CONSTANTS};
    use core::{
        arch::x86_64::*,
        sync::atomic::{AtomicU8, Ordering::Relaxed},
    };

    /// 0 as long as nothing asked, 1 without the instructions, 2 with them. Asking is slow on a virtual machine.
    static KNOWN: AtomicU8 = AtomicU8::new(0);

    pub fn is_there() -> bool {
        if KNOWN.load(Relaxed) == 0 {
            KNOWN.store(if ask() { 2 } else { 1 }, Relaxed);
        }
        KNOWN.load(Relaxed) == 2
    }

    fn ask() -> bool {
        const SSSE3: u32 = 1 << 9;
        const SSE4_1: u32 = 1 << 19;
        const SHA: u32 = 1 << 29;
        let (basic, more) = (__cpuid(0).eax >= 7).then(|| (__cpuid(1).ecx, __cpuid_count(7, 0).ebx)).unwrap_or_default();
        basic & SSSE3 != 0 && basic & SSE4_1 != 0 && more & SHA != 0
    }

    /// # Safety
    /// The processor has these instructions.
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    pub unsafe fn compress(state: &mut [u32; 8], blocks: &[u8]) {
        let swap = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
        let place = state.as_mut_ptr().cast::<__m128i>();
        // SAFETY (of loads and stores): none reads or writes beyond the state, a block or the constants.
        let (low, high) = unsafe { (_mm_loadu_si128(place), _mm_loadu_si128(place.add(1))) };
        // The instructions want the eight words as `abef` and `cdgh`.
        let (low, high) = (_mm_shuffle_epi32(low, 0xb1), _mm_shuffle_epi32(high, 0x1b));
        let mut abef = _mm_alignr_epi8(low, high, 8);
        let mut cdgh = _mm_blend_epi16(high, low, 0xf0);
        for block in blocks.chunks_exact(BLOCK) {
            let before = (abef, cdgh);
            let mut words = [_mm_setzero_si128(); 4];
            for (at, word) in words.iter_mut().enumerate() {
                *word = _mm_shuffle_epi8(unsafe { _mm_loadu_si128(block.as_ptr().cast::<__m128i>().add(at)) }, swap);
            }
            for at in 0..16 {
                if at >= 4 {
                    let [first, second, third, fourth] = [0, 1, 2, 3].map(|next| words[(at + next) & 3]);
                    let sum = _mm_add_epi32(_mm_sha256msg1_epu32(first, second), _mm_alignr_epi8(fourth, third, 4));
                    words[at & 3] = _mm_sha256msg2_epu32(sum, fourth);
                }
                let constants = unsafe { _mm_loadu_si128(ROUND_CONSTANTS.as_ptr().cast::<__m128i>().add(at)) };
                let sum = _mm_add_epi32(words[at & 3], constants);
                cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
                abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            }
            abef = _mm_add_epi32(abef, before.0);
            cdgh = _mm_add_epi32(cdgh, before.1);
        }
        let (low, high) = (_mm_shuffle_epi32(abef, 0x1b), _mm_shuffle_epi32(cdgh, 0xb1));
        unsafe {
            _mm_storeu_si128(place, _mm_blend_epi16(low, high, 0xf0));
            _mm_storeu_si128(place.add(1), _mm_alignr_epi8(high, low, 8));
        }
    }
}

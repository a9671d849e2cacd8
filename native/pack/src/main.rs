//! `amplihack-pack DICTIONARY BLOCK`: reads a dictionary of so many bytes and then blocks of so many bytes; writes where
//! each packed block ends, as words of four bytes that begin with 0, and then the packed blocks. A block may repeat what
//! stands in the dictionary, since it cannot repeat what stands in another block.

use std::{
    env,
    error::Error,
    ffi::{c_char, c_int, c_void},
    io::{self, Read, Write},
};

use lz4_sys::LZ4_compressBound;

// The crate links these functions of LZ4 and does not declare them.
unsafe extern "C" {
    fn LZ4_createStreamHC() -> *mut c_void;
    fn LZ4_resetStreamHC_fast(stream: *mut c_void, level: c_int);
    fn LZ4_loadDictHC(stream: *mut c_void, dictionary: *const c_char, size: c_int) -> c_int;
    fn LZ4_compress_HC_continue(
        stream: *mut c_void,
        source: *const c_char,
        target: *mut c_char,
        size: c_int,
        capacity: c_int,
    ) -> c_int;
    fn LZ4_freeStreamHC(stream: *mut c_void) -> c_int;
}

/// The highest: packing happens once, at build time.
const LEVEL: c_int = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let lengths = env::args().skip(1).map(|word| word.parse()).collect::<Result<Vec<usize>, _>>()?;
    let [dictionary, block] = lengths[..] else { return Err("expected DICTIONARY BLOCK".into()) };
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    let (dictionary, blocks) = bytes.split_at_checked(dictionary).ok_or("the dictionary is too short")?;
    let mut ends = 0u32.to_le_bytes().to_vec();
    let mut packed = Vec::new();
    for block in blocks.chunks(block) {
        packed.extend(pack(dictionary, block)?);
        ends.extend(u32::try_from(packed.len())?.to_le_bytes());
    }
    let mut output = io::stdout().lock();
    output.write_all(&ends)?;
    output.write_all(&packed)?;
    Ok(())
}

fn pack(dictionary: &[u8], block: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let size = c_int::try_from(block.len())?;
    // SAFETY: computes a number.
    let capacity = unsafe { LZ4_compressBound(size) };
    let mut target = vec![0; usize::try_from(capacity)?];
    // SAFETY: the stream is used between its making and its end, and every length is that of its slice.
    let length = unsafe {
        let stream = LZ4_createStreamHC();
        LZ4_resetStreamHC_fast(stream, LEVEL);
        LZ4_loadDictHC(stream, dictionary.as_ptr().cast(), c_int::try_from(dictionary.len())?);
        let length = LZ4_compress_HC_continue(
            stream,
            block.as_ptr().cast(),
            target.as_mut_ptr().cast(),
            size,
            capacity,
        );
        LZ4_freeStreamHC(stream);
        length
    };
    if length <= 0 {
        return Err("a block could not be packed".into());
    }
    target.truncate(usize::try_from(length)?);
    Ok(target)
}

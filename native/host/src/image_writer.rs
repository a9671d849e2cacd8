//! The last step of the build: loads all hooks and writes the memory they occupy to a file, sorted by how often
//! it is touched. To learn that, a child loads them with every block on pages of its own, and children of that
//! child run one payload each with all pages protected: every first touch is a fault that can be counted. Loading
//! asks for the same blocks in the same order each time, so a block is known by its number.

use crate::{
    engine::Engine,
    files::{self, File},
    image, interrupt, memory, modules, stdio,
    text::to_c,
};
use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec, vec::Vec};
use core::{alloc::Layout, ptr, slice};

const BLOCKS: usize = 1 << 22;
const PAGE: usize = 4096;
/// Where blocks lie while their use is learnt, and those that the image does not keep.
const SPARSE: usize = image::LOW;
const SPARSE_LENGTH: usize = 12 << 30;
const DROPPED: usize = SPARSE + SPARSE_LENGTH;
const DROPPED_LENGTH: usize = 4 << 30;
const COLD_LENGTH: usize = 256 << 20;
const HOT_LENGTH: usize = 256 << 20;
/// A block is copied at every start if one run in this many touches it.
const HOT_SHARE: usize = 8;
const MOST_RUNS: usize = 320;
/// The hooks rehearse with one payload in this many: what they make of their tables comes early.
const REHEARSED_SHARE: usize = 4;

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Idle,
    Learning,
    Placing,
}

/// What is known of a block after learning.
#[derive(Clone, Copy)]
struct Fact {
    /// One bit for every run that touches it.
    runs: [u64; MOST_RUNS / 64],
    address: usize,
    size: u32,
    align: u16,
    is_kept: bool,
    is_shape: bool,
}

struct Writer {
    phase: Phase,
    count: usize,
    facts: *mut Fact,
    /// The block on a page of the sparse range.
    owners: *mut u32,
    /// Where the next block goes: of the sparse range while its use is learnt, else of those that are not kept.
    next: usize,
    /// The run whose touches are counted.
    run: usize,
}

/// The parts of an image in their order, and what is left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Hot,
    Warm,
    Never,
    Dropped,
}

static mut WRITER: Writer =
    Writer { phase: Phase::Idle, count: 0, facts: ptr::null_mut(), owners: ptr::null_mut(), next: 0, run: 0 };

#[inline(always)]
fn writer() -> &'static mut Writer {
    // SAFETY: one thread, and no reference outlives its use.
    unsafe { &mut *(&raw mut WRITER) }
}

#[inline(always)]
pub fn is_active() -> bool {
    writer().phase != Phase::Idle
}

fn facts() -> &'static mut [Fact] {
    // SAFETY: `write` mapped them before any block is placed.
    unsafe { slice::from_raw_parts_mut(writer().facts, BLOCKS) }
}

fn part_of(fact: &Fact, runs: usize) -> Part {
    let touches: usize = fact.runs.iter().map(|some| some.count_ones() as usize).sum();
    match fact {
        Fact { is_kept: false, .. } => Part::Dropped,
        Fact { is_shape: true, .. } => Part::Hot,
        _ if touches == 0 => Part::Never,
        _ if touches * HOT_SHARE >= runs => Part::Hot,
        _ => Part::Warm,
    }
}

#[cold]
pub fn place(layout: Layout) -> *mut u8 {
    let writer = writer();
    let number = writer.count;
    writer.count += 1;
    if number >= BLOCKS {
        fail("more blocks than expected");
    }
    let fact = &mut facts()[number];
    if writer.phase == Phase::Learning {
        let [size, align] = [layout.size() as u32, layout.align().max(8) as u32];
        *fact = Fact { size, align: align as u16, runs: [0; _], address: 0, is_kept: true, is_shape: false };
    } else if fact.size as usize != layout.size() {
        fail("loading the hooks is not repeatable")
    } else if fact.is_kept {
        return fact.address as *mut u8;
    }
    let align = if writer.phase == Phase::Learning { PAGE } else { fact.align as usize };
    let at = writer.next.next_multiple_of(align);
    writer.next = at + layout.size();
    if writer.phase == Phase::Learning {
        for page in at / PAGE..writer.next.div_ceil(PAGE) {
            // SAFETY: there is an entry for every page of the range.
            unsafe { *writer.owners.add(page - SPARSE / PAGE) = number as u32 };
        }
    }
    at as *mut u8
}

/// Gives every block that is kept its address, and tells where what is copied and what is loaded on demand ends.
/// Blocks that the same runs touch lie side by side, so that a run has few of them loaded.
fn assign_addresses(runs: usize) -> [usize; 2] {
    let part = |number: &usize| part_of(&facts()[*number], runs);
    let mut kept: Vec<usize> = (0..BLOCKS).filter(|number| facts()[*number].is_kept).collect();
    kept.sort_by_cached_key(|number| match part(number) {
        Part::Warm => (Part::Warm, facts()[*number].runs.map(|some| !some.reverse_bits())),
        part => (part, [0; _]),
    });
    let mut ends = [memory::BASE + image::HEAD, image::COLD];
    let mut last = Part::Hot;
    for number in kept {
        let part = part(&number);
        let fact = &mut facts()[number];
        let end = &mut ends[usize::from(part != Part::Hot)];
        let align = if part == Part::Never && last == Part::Warm { image::BLOCK } else { fact.align as usize };
        fact.address = end.next_multiple_of(align);
        *end = fact.address + fact.size as usize;
        last = part;
    }
    ends
}

/// A block was freed: the image need not keep it.
pub fn forget(block: *mut u8) {
    let at = block as usize;
    if writer().phase == Phase::Learning {
        let number = owner_of(at);
        facts()[number].is_kept = false;
        // SAFETY: the pages are this block's alone.
        unsafe { libc::madvise(at as *mut _, facts()[number].size as usize, libc::MADV_DONTNEED) };
    }
}

fn owner_of(address: usize) -> usize {
    // SAFETY: as in `place`.
    unsafe { *writer().owners.add((address - SPARSE) / PAGE) as usize }
}

/// Where the part of the writer's own memory ends that holds `address`.
pub fn end_of(address: usize) -> Option<usize> {
    match address {
        SPARSE..DROPPED => Some(address + facts()[owner_of(address)].size as usize),
        DROPPED..image::COLD => Some(DROPPED + DROPPED_LENGTH),
        _ if is_active() => Some(image::COLD + COLD_LENGTH),
        _ => None,
    }
}

/// Writes the image to `output`: what is copied at every start, with the head at its beginning, then the rest.
/// `folder` holds the compiled modules, `payloads` the inputs to learn from.
pub fn write(output: &str, folder: &str, payloads: &str) {
    modules::read_from(folder);
    let runs = list(payloads);
    let writer = writer();
    // SAFETY: fresh memory; the facts are shared with the children, which fill them.
    unsafe {
        writer.facts = map_shared(BLOCKS * size_of::<Fact>()).cast();
        writer.owners = map_shared(SPARSE_LENGTH / PAGE * 4).cast();
    }
    if runs.len() > MOST_RUNS {
        fail("more payloads than expected");
    }
    let places = [(SPARSE, SPARSE_LENGTH), (DROPPED, DROPPED_LENGTH), (image::COLD, COLD_LENGTH)];
    image::widen(memory::BASE + HOT_LENGTH);
    if !places.iter().all(|(at, length)| memory::map(*at, *length)) {
        fail("the addresses of an image are taken");
    }
    let before = runs.iter().filter(|run| subcommand_of(run) == "pre-tool-use");
    let payloads: Vec<String> = before.step_by(REHEARSED_SHARE).map(|run| read_payload(run)).collect();
    wait_for(|| learn(&runs, &payloads));
    if !memory::map(memory::BASE, HOT_LENGTH) {
        fail("the addresses of an image are taken");
    }
    let [hot, cold] = assign_addresses(runs.len());
    writer.next = DROPPED;
    writer.phase = Phase::Placing;
    writer.count = 0;
    let engine = load(&payloads);
    writer.phase = Phase::Idle;
    let [hot_length, cold_length] = [hot - memory::BASE, cold - image::COLD].map(|length| length.next_multiple_of(8));
    let head = [ptr::from_ref(engine) as usize - memory::BASE, hot_length, cold_length].map(|word| word as u32);
    // SAFETY: the ranges are mapped, the head is the writer's own, and nothing else writes to them now.
    let parts = unsafe {
        *(memory::BASE as *mut [u32; 3]) = head;
        [(memory::BASE, hot_length), (image::COLD, cold_length)]
            .map(|(from, length)| slice::from_raw_parts(from as *const u8, length))
    };
    let bytes = parts.concat();
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
    if File::open(output.as_bytes(), flags, 0o600).and_then(|file| file.write_all(&bytes)).is_err() {
        fail("the image cannot be written");
    }
    let [hot, cold] = [hot_length, cold_length].map(|length| length >> 10);
    let told = format!("{} payloads, {hot} KB copied at every start, {cold} KB on demand\n", runs.len());
    stdio::write_all(1, told.as_bytes());
}

fn load(payloads: &[String]) -> &'static Engine {
    let mut entries: Vec<&str> = modules::ENTRIES.iter().map(|(_, entry)| *entry).collect();
    entries.sort_unstable();
    entries.dedup();
    let Ok(engine) = Engine::prepare(&entries, modules::ALSO, modules::SPARE) else { fail("the hooks could not be loaded") };
    if engine.rehearse(payloads).is_err() {
        fail("the payloads were not answered");
    }
    Box::leak(Box::new(engine))
}

fn learn(runs: &[String], payloads: &[String]) {
    writer().next = SPARSE;
    writer().phase = Phase::Learning;
    let engine = load(payloads);
    writer().phase = Phase::Idle;
    find_shapes();
    for (number, run) in runs.iter().enumerate() {
        writer().run = number;
        wait_for(|| touch(engine, run));
    }
}

/// Shapes are found by a hash of addresses, so which of them a run looks at cannot be learnt elsewhere. The
/// engine's header of a block tells its kind.
fn find_shapes() {
    const SHAPE: u8 = 2;
    let pages = (writer().next - SPARSE).div_ceil(PAGE);
    for page in (0..pages).map(|page| SPARSE + page * PAGE) {
        let fact = &mut facts()[owner_of(page)];
        // SAFETY: the page is mapped and longer than a header.
        let header = unsafe { *(page as *const [u8; 4]) };
        fact.is_shape |= fact.is_kept && header[..3] == [0xff; 3] && header[3] & 0x7f == SHAPE;
    }
}

fn read_payload(path: &str) -> String {
    let bytes = files::read_whole(path.as_bytes(), 1 << 20).ok();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| fail("a payload cannot be read"))
}

/// The name of a payload's file is a number, by which they are run in order, a dot and the subcommand.
fn subcommand_of(payload: &str) -> &str {
    payload.rsplit('.').next().unwrap_or_default()
}

/// Runs one payload in the folder it names.
fn touch(engine: &Engine, payload: &str) {
    let text = read_payload(payload);
    let folder = text.split("\"cwd\":\"").nth(1).and_then(|rest| rest.split('"').next()).map(to_c);
    let Some(Ok(folder)) = folder else { fail("a payload does not say where it is from") };
    let Ok(input) = File::open(payload.as_bytes(), libc::O_RDONLY, 0) else { fail("a payload cannot be read") };
    // Not the null device: an answer that goes there reaches nobody, which the program tells by its exit code.
    let Ok(nowhere) = File::open(b"/dev/zero", libc::O_WRONLY, 0) else { fail("there is no /dev/zero") };
    let name = subcommand_of(payload);
    // SAFETY: descriptors of our own; the protected pages are given back by `count_touch`.
    unsafe {
        if libc::chdir(folder.as_ptr()) < 0 {
            fail("the folder of a payload is not there");
        }
        libc::dup2(input.0, 0);
        libc::dup2(nowhere.0, 1);
        libc::dup2(nowhere.0, 2);
        let argv = vec![name.to_owned()];
        let entry = modules::entry_for(name);
        if !memory::open(0) {
            fail("the addresses of an image are taken");
        }
        image::widen(memory::BASE);
        libc::mprotect(SPARSE as *mut _, writer().next.next_multiple_of(PAGE) - SPARSE, libc::PROT_NONE);
        interrupt::begin_run();
        engine.run(entry, argv)
    }
}

/// Called by the handler of faults: true when a block was touched whose use is being learnt.
pub fn count_touch(address: usize) -> bool {
    if writer().facts.is_null() || !(SPARSE..writer().next).contains(&address) {
        return false;
    }
    let fact = &mut facts()[owner_of(address)];
    let page = address / PAGE * PAGE;
    let mut start = page;
    while start > SPARSE && owner_of(start - PAGE) == owner_of(address) {
        start -= PAGE;
    }
    let run = writer().run;
    fact.runs[run / 64] |= 1 << (run % 64);
    // SAFETY: the pages are this block's alone.
    unsafe { libc::mprotect(start as *mut _, fact.size as usize, libc::PROT_READ | libc::PROT_WRITE) == 0 }
}

fn list(folder: &str) -> Vec<String> {
    let Ok(entries) = files::list(folder.as_bytes()) else { fail("the payloads cannot be read") };
    let mut names: Vec<String> =
        entries.iter().map(|name| format!("{folder}/{}", String::from_utf8_lossy(name))).collect();
    names.sort_unstable();
    names
}

unsafe fn map_shared(length: usize) -> *mut u8 {
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: fresh memory wherever the kernel likes.
    let mapped = unsafe { libc::mmap(ptr::null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        fail("there is not enough memory");
    }
    mapped.cast()
}

/// Does the work in a child of its own and ends here if that fails.
fn wait_for(work: impl FnOnce()) {
    let mut status = 0;
    // SAFETY: the process has one thread.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            work();
            libc::_exit(0);
        }
        libc::waitpid(child, &mut status, 0);
    }
    if status != 0 {
        fail("learning which memory is used failed");
    }
}

fn fail(reason: &str) -> ! {
    writer().phase = Phase::Idle;
    stdio::write_all(2, format!("amplihack-hooks --write-image: {reason}\n").as_bytes());
    // SAFETY: nothing buffered is left to flush.
    unsafe { libc::_exit(1) }
}

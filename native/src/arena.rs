//! Memory for syntax trees: a tree is hundreds of thousands of small blocks that all go at once.
//!
//! While a `Scope` lives, what tree-sitter asks for on its thread comes from one arena, in which a block that is given
//! back is kept for the next of its size; when the scope ends, the arena starts anew. So whatever is made in a scope
//! must be dropped in it, or forgotten: a tree need not be taken apart. What is made outside of one, such as a query,
//! comes from the system.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ffi::c_void;
use std::process::abort;
use std::ptr::{self, null_mut};
use std::sync::Mutex;

const HEADER: usize = 16;
const CHUNK: usize = 1 << 20;
/// A larger block comes from the system, but goes with the arena.
const MOST: usize = 1 << 16;
/// Up to here there is a list for every size, beyond it for every power of two.
const FINE: usize = 1 << 10;
const FINE_LISTS: usize = FINE / HEADER + 1;
const LISTS: usize = FINE_LISTS + 7;
const SYSTEM: usize = usize::MAX;
/// From here on the number of a large block.
const LARGE: usize = LISTS;
const KEPT_CHUNKS: usize = 4;

/// What stands before a block.
struct Header {
    /// Its bytes with the header.
    size: usize,
    /// Its list, `SYSTEM`, or `LARGE` and its place among the large ones.
    list: usize,
}

struct Arena {
    chunks: Vec<*mut u8>,
    /// How many of them are in use.
    used: usize,
    /// The free rest of the last of these.
    rest: *mut u8,
    left: usize,
    free: [*mut u8; LISTS],
    large: Vec<*mut u8>,
}

/// SAFETY: an arena belongs to one thread at a time: to that of its scope, or to none while it is idle.
#[allow(unsafe_code)]
unsafe impl Send for Arena {}

thread_local! {
    static ACTIVE: Cell<*mut Arena> = const { Cell::new(null_mut()) };
}
static IDLE: Mutex<Vec<Box<Arena>>> = Mutex::new(Vec::new());

/// The time in which an arena is in use on this thread.
pub struct Scope {
    arena: Option<Box<Arena>>,
}

impl Scope {
    pub fn enter() -> Self {
        if !ACTIVE.get().is_null() {
            return Self { arena: None }; // the scope around it goes on
        }
        let idle = IDLE.lock().ok().and_then(|mut idle| idle.pop());
        let mut arena = idle.unwrap_or_else(|| {
            Box::new(Arena {
                chunks: Vec::new(),
                used: 0,
                rest: null_mut(),
                left: 0,
                free: [null_mut(); LISTS],
                large: Vec::new(),
            })
        });
        ACTIVE.set(&mut *arena);
        Self { arena: Some(arena) }
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        if let Some(mut arena) = self.arena.take() {
            ACTIVE.set(null_mut());
            arena.start_anew();
            if let Ok(mut idle) = IDLE.lock() {
                idle.push(arena);
            }
        }
    }
}

/// Which list a block belongs to, and how many bytes it has there.
fn list_of(size: usize) -> (usize, usize) {
    if size <= FINE {
        let whole = size.next_multiple_of(HEADER);
        return (whole / HEADER, whole);
    }
    let whole = size.next_power_of_two();
    (FINE_LISTS + (whole / FINE).trailing_zeros() as usize, whole)
}

/// SAFETY of all below: a block is what `allocated` made, so a header stands before it that says where it came from;
/// chunks are aligned to headers and live as long as the scope, and lists hold only blocks that were given back.
#[allow(unsafe_code)]
impl Arena {
    fn block(&mut self, size: usize) -> *mut u8 {
        if size > MOST {
            let block = from_system(size);
            unsafe { block.cast::<Header>().write(Header { size, list: LARGE + self.large.len() }) };
            self.large.push(block);
            return block;
        }
        let (list, size) = list_of(size);
        let free = self.free[list];
        if !free.is_null() {
            self.free[list] = unsafe { free.add(HEADER).cast::<*mut u8>().read() };
            return free;
        }
        if self.left < size {
            if self.used == self.chunks.len() {
                self.chunks.push(from_system(CHUNK));
            }
            (self.rest, self.left) = (self.chunks[self.used], CHUNK);
            self.used += 1;
        }
        let block = self.rest;
        self.rest = unsafe { block.add(size) };
        self.left -= size;
        unsafe { block.cast::<Header>().write(Header { size, list }) };
        block
    }

    fn take_back(&mut self, block: *mut u8, Header { size, list }: Header) {
        if list < LARGE {
            unsafe { block.add(HEADER).cast::<*mut u8>().write(self.free[list]) };
            self.free[list] = block;
            return;
        }
        self.large.swap_remove(list - LARGE);
        if let Some(moved) = self.large.get(list - LARGE) {
            unsafe { (*moved.cast::<Header>()).list = list };
        }
        to_system(block, size);
    }

    fn start_anew(&mut self) {
        for block in self.large.drain(..) {
            to_system(block, unsafe { (*block.cast::<Header>()).size });
        }
        for chunk in self.chunks.drain(KEPT_CHUNKS.min(self.chunks.len())..) {
            to_system(chunk, CHUNK);
        }
        (self.used, self.left, self.free) = (0, 0, [null_mut(); LISTS]);
    }
}

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, HEADER).unwrap_or_else(|_| abort())
}

/// Whoever wants more than there is dies of it, as with tree-sitter's own functions.
#[allow(unsafe_code)]
fn from_system(size: usize) -> *mut u8 {
    let block = unsafe { alloc(layout(size)) };
    if block.is_null() { abort() } else { block }
}

#[allow(unsafe_code)]
fn to_system(block: *mut u8, size: usize) {
    unsafe { dealloc(block, layout(size)) }
}

/// Give tree-sitter this memory: before it has asked for any other.
#[allow(unsafe_code)]
pub fn install() {
    unsafe { tree_sitter::set_allocator(Some(allocated), Some(zeroed), Some(resized), Some(given_back)) }
}

#[allow(unsafe_code)]
unsafe extern "C" fn allocated(size: usize) -> *mut c_void {
    let size = size.max(1).saturating_add(HEADER);
    let arena = ACTIVE.get();
    let block = if arena.is_null() {
        let block = from_system(size);
        unsafe { block.cast::<Header>().write(Header { size, list: SYSTEM }) };
        block
    } else {
        unsafe { (*arena).block(size) }
    };
    unsafe { block.add(HEADER).cast() }
}

#[allow(unsafe_code)]
unsafe extern "C" fn zeroed(count: usize, size: usize) -> *mut c_void {
    let size = count.saturating_mul(size);
    let block = unsafe { allocated(size) };
    unsafe { ptr::write_bytes(block.cast::<u8>(), 0, size) };
    block
}

#[allow(unsafe_code)]
unsafe extern "C" fn resized(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        return unsafe { allocated(size) };
    }
    let held = unsafe { block.cast::<u8>().sub(HEADER).cast::<Header>().read() }.size - HEADER;
    if size <= held {
        return block;
    }
    let larger = unsafe { allocated(size) };
    unsafe { ptr::copy_nonoverlapping(block.cast::<u8>(), larger.cast::<u8>(), held) };
    unsafe { given_back(block) };
    larger
}

#[allow(unsafe_code)]
unsafe extern "C" fn given_back(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    let block = unsafe { block.cast::<u8>().sub(HEADER) };
    let header = unsafe { block.cast::<Header>().read() };
    if header.list == SYSTEM {
        return to_system(block, header.size);
    }
    let arena = ACTIVE.get();
    if !arena.is_null() {
        unsafe { (*arena).take_back(block, header) };
    }
}

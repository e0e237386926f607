//! Rust without std: exports run(case, n); cases 6 and 7 trap.
#![no_std]
use core::hint::black_box;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

mod grid {
    pub struct Grid<const N: usize> {
        pub cells: [i32; N],
    }

    impl<const N: usize> Grid<N> {
        #[inline(always)]
        pub fn sum(&self, n: usize) -> i32 {
            (0..n).map(|i| self.cells[i]).fold(0, i32::wrapping_add)
        }
    }
}

#[inline(never)]
fn total(n: i32) -> i32 {
    let g = grid::Grid::<8> { cells: black_box([n; 8]) };
    black_box(g.sum(n as usize))
}

#[inline(never)]
fn longest(words: &[&str]) -> i32 {
    words.iter().map(|w| w.chars().filter(|c| c.is_alphabetic()).count()).max().unwrap_or(0) as i32
}

#[no_mangle]
pub extern "C" fn run(which: i32, n: i32) -> i32 {
    match which {
        0 => total(n & 7),
        1 => longest(black_box(&["one", "th3ee", "fourteen"])),
        6 => total(n) + 1,
        7 => black_box(n) / black_box(0) + 1,
        _ => n,
    }
}

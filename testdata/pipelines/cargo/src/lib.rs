//! A library that crashes where the markers say. A test finds the lines by the
//! markers, and not with the tool that it tests.

/// Crashes in the middle of calls, for `which` 0 by a trap of the code itself, and
/// otherwise by a panic of the standard library.
#[no_mangle]
pub extern "C" fn run(which: i32, n: i32) -> i32 {
    let values: Vec<i32> = (0..8).map(|i| i * n).collect();
    outer(which, &values, n) // frame: run
}

#[inline(never)]
fn outer(which: i32, values: &[i32], n: i32) -> i32 {
    let picked = if which == 0 {
        trap(values.len() as i32 - n) // frame: outer trap
    } else {
        pick(values, n as usize) // frame: outer pick
    };
    picked + values[0]
}

#[inline(never)]
fn trap(n: i32) -> i32 {
    if n < 0 {
        std::arch::wasm32::unreachable() // frame: trap
    }
    n
}

#[inline(never)]
fn pick(values: &[i32], n: usize) -> i32 {
    values[n] // frame: pick
}

//! A program that does what the library does.

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let which = args.get(1).and_then(|a| a.parse().ok()).unwrap_or(0);
    println!("before {}", crash_demo::run(which, 7));
    println!("after {}", crash_demo::run(which, 20)); // frame: main
}

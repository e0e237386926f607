#![feature(no_core,lang_items)]
#![no_core]
#![crate_type="lib"]
#[lang="pointee_sized"] pub trait PointeeSized {}
#[lang="meta_sized"] pub trait MetaSized: PointeeSized {}
#[lang="sized"] pub trait Sized: MetaSized {}
#[lang="copy"] trait Copy {}
impl Copy for i32 {}
#[no_mangle] pub extern "C" fn run(a:i32)->i32 { a }

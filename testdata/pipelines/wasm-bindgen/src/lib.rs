use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
pub struct Cart {
    prices: Vec<u32>,
    names: BTreeMap<String, f64>,
}

#[inline(always)]
fn pick(prices: &[u32], i: usize) -> u32 {
    prices[i] /*@0.0=pick*/
}

#[wasm_bindgen]
impl Cart {
    #[wasm_bindgen(constructor)]
    pub fn new(n: u32) -> Cart {
        Cart {
            prices: (0..n).map(|i| i * 3).collect(),
            names: BTreeMap::new(),
        }
    }

    pub fn price(&self, i: usize) -> u32 {
        pick(&self.prices, i) + 1 /*@0.1=price*/
    }

    /// Takes "NAME=PRICE" words. With text, numbers and a map, the module has more than
    /// 127 functions: walrus writes DWARF for smaller ones that is a byte off.
    pub fn label(&mut self, words: &str) -> String {
        for (name, price) in words.split_whitespace().filter_map(|w| w.split_once('=')) {
            let price: f64 = price.parse().unwrap_or(f64::NAN);
            *self.names.entry(name.to_uppercase()).or_default() += price;
        }
        self.names.retain(|_, price| price.is_finite());
        format!("{:?} of {:.2}", self.names, self.names.values().sum::<f64>())
    }
}

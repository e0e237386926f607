(module
  (func (export "run") (param i64 i64) (result i64 i64)
    (i64.add128 (local.get 0) (local.get 1) (i64.mul_wide_u (local.get 0) (local.get 1)))
    (i64.sub128 (i64.mul_wide_s (local.get 0) (local.get 1))))
  (func (export "sat") (param f64 f32) (result i64)
    (drop (i32.trunc_sat_f64_u (local.get 0)))
    (i64.extend32_s (i64.trunc_sat_f32_s (local.get 1))))
)

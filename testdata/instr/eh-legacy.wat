(module
  (tag $e (param i32))
  (func $may (param i32) (if (local.get 0) (then (throw $e (local.get 0))) (else (nop))))
  (func (export "run") (param i32) (result i32)
    try $outer (result i32)
      try
        local.get 0
        call $may
      delegate $outer
      i32.const 1
    catch $e
      drop
      i32.const 2
    catch_all
      rethrow $outer
    end)
)

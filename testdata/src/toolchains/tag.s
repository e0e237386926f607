# The exception tag that C++ code throws with.
	.tagtype __cpp_exception i32
	.globl __cpp_exception
__cpp_exception:

package printable

import "strconv"

// Number returns n with commas between groups of three digits.
func Number(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Count returns "1 unit", "2,000 units".
func Count(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Number(n) + " " + thing
}

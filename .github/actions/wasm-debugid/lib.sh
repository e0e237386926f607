# What the steps of the action share. Sourced by install.sh and run.sh.

# say LEVEL TEXT makes an annotation. The text may hold anything that was typed.
say() {
	local text=$2
	text=${text//'%'/%25}
	text=${text//$'\r'/%0D}
	text=${text//$'\n'/%0A}
	printf '::%s title=wasm-debugid::%s\n' "$1" "$text"
}

# A path in the form that bash on Windows understands, and in the system's.
posix() { if command -v cygpath >/dev/null; then cygpath -u "$1"; else printf '%s\n' "$1"; fi; }
native() { if command -v cygpath >/dev/null; then cygpath -w "$1"; else printf '%s\n' "$1"; fi; }

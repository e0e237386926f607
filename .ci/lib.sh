# What stages share. Sourced by .ci/run in front of each stage.

shared=$WASM_DEBUGID_CI_TMP # of all stages of a run

# The cache lies outside of the tree. Nothing in it is needed: a new machine fills it.
cache=${WASM_DEBUGID_CI_CACHE:-${XDG_CACHE_HOME:-${HOME:-$WASM_DEBUGID_CI_TMP}/.cache}/wasm-debugid-ci}
mkdir -p "$cache"

# installed ends the stage when only its installation was asked for.
installed() {
	if [ -n "${WASM_DEBUGID_INSTALL_ONLY-}" ]; then
		echo "installed what stage $0 needs"
		exit 0
	fi
}

# retry COMMAND... runs a command up to three times.
retry() {
	local n
	for n in 1 2 3; do
		"$@" && return 0
		echo "try $n of 3 failed: $*" >&2
		sleep $((n * 5))
	done
	return 1
}

# apt PACKAGE... installs those Debian packages that are missing.
apt() {
	local p missing=() root=()
	for p in "$@"; do
		[ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	echo "installing ${missing[*]}"
	[ "$(id -u)" = 0 ] || root=(sudo)
	if [ ! -e "$shared/apt-updated" ]; then
		retry "${root[@]}" apt-get -qq -o DPkg::Lock::Timeout=600 update
		touch "$shared/apt-updated"
	fi
	retry "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=600 \
		-o Dpkg::Use-Pty=0 --no-install-recommends install "${missing[@]}" >"$shared/apt.log" 2>&1 ||
		{
			tail -n 40 "$shared/apt.log" >&2
			return 1
		}
}

# npm_set NAME installs the exact packages of .ci/npm/NAME/package-lock.json and
# prints the folder that holds node_modules.
npm_set() {
	local from=.ci/npm/$1 key to
	key=$(cat "$from/package.json" "$from/package-lock.json" | sha256sum | cut -c1-16)
	to=$cache/npm/$1-$key
	if [ ! -e "$to/complete" ]; then
		rm -rf "$to"
		mkdir -p "$to"
		cp "$from/package.json" "$from/package-lock.json" "$to"
		(cd "$to" && retry npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >&2
		touch "$to/complete"
	fi
	printf '%s\n' "$to"
}

# stage_test NAME PATTERN runs the tests of internal/toolchain that belong to the
# stage NAME; there a missing tool is a failure.
stage_test() {
	WASM_DEBUGID_STAGE=$1 go test ./internal/toolchain -count=1 -timeout 30m -v -run "$2" | sed -uE '/^ *=== (RUN|PAUSE|CONT|NAME)/d'
}

# pip_set NAME installs the exact packages of .ci/pip/NAME/requirements.txt, which
# holds their digests, and prints the folder with their programs.
pip_set() {
	local from=.ci/pip/$1/requirements.txt key to
	apt python3 python3-venv >&2
	key=$(sha256sum <"$from" | cut -c1-16)
	to=$cache/pip/$1-$key
	if [ ! -e "$to/complete" ]; then
		rm -rf "$to"
		mkdir -p "${to%/*}"
		/usr/bin/python3 -m venv "$to"
		retry "$to/bin/pip" install -q --disable-pip-version-check --require-hashes -r "$from" >&2
		touch "$to/complete"
	fi
	printf '%s\n' "$to/bin"
}

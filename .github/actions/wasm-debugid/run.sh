#!/usr/bin/env bash
# Runs one mode of the action and hands its results to the workflow. The second step
# of the action; what each INPUT_ variable means is written in action.yml. PROGRAM is
# the program.
#
# macOS has bash 3.2: no namerefs, no mapfile, no globstar, and an empty array is an
# unset one.
set -euo pipefail

# shellcheck source=.github/actions/wasm-debugid/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

# fail CODE TEXT ends the step with one of the program's exit codes.
fail() {
	say error "$2"
	printf 'exit-code=%s\n' "$1" >>"$GITHUB_OUTPUT"
	exit "$1"
}

# lines TEXT reads the lines that are not empty into the array read_lines.
lines() {
	local line
	read_lines=()
	while IFS= read -r line || [ -n "$line" ]; do
		line=${line%$'\r'}
		line=${line#"${line%%[![:space:]]*}"}
		line=${line%"${line##*[![:space:]]}"}
		[ -z "$line" ] || read_lines+=("$line")
	done <<<"$1"
}

# absolute NAME makes a path that a change of directory does not touch.
absolute() {
	case $1 in
	/* | [A-Za-z]:[\\/]*) printf '%s\n' "$1" ;;
	*) printf '%s/%s\n' "$PWD" "$1" ;;
	esac
}

# run shows a command in the log and runs it; its exit code goes to code.
run() {
	printf '+ wasm-debugid'
	printf ' %q' "$@"
	printf '\n'
	code=0
	"$program" "$@" || code=$?
}

program=${PROGRAM:?}
mode=${INPUT_MODE:-check}
fail_on=${INPUT_FAIL_ON:-error}
GITHUB_OUTPUT=$(absolute "${GITHUB_OUTPUT:?this script belongs to a workflow step}")
results=$GITHUB_OUTPUT

# A line break in one of these would begin another line of the outputs' file.
for value in "${INPUT_COMPANION-}" "${INPUT_COMPANION_DIR-}" "${INPUT_OUTPUT-}" "${INPUT_CLIENT-}" \
	"${INPUT_MIN_COVERAGE-}" "${INPUT_SARIF-}" "${INPUT_WORKING_DIRECTORY-}"; do
	case $value in
	*$'\n'* | *$'\r'*) fail 2 "an input has a line break that must not have one: $value" ;;
	esac
done
cd -- "${INPUT_WORKING_DIRECTORY:-.}" || fail 4 "the working directory ${INPUT_WORKING_DIRECTORY-} does not exist"

case $mode in
check | split | verify) ;;
*) fail 2 "the input mode is \"$mode\"; it must be check, split, verify or install" ;;
esac
case $fail_on in
error | warning | never) ;;
*) fail 2 "the input fail-on is \"$fail_on\"; it must be error, warning or never" ;;
esac

# Names with * or ? or [ are patterns, unless a file is called so.
declare -a paths=() extra=() found
lines "${INPUT_PATH-}"
[ ${#read_lines[@]} -gt 0 ] || fail 2 'the input path is empty; name a module'
for name in "${read_lines[@]}"; do
	if [[ $name != *[*?[]* ]] || [ -e "$name" ]; then
		paths+=("$name")
		continue
	fi
	found=()
	while IFS= read -r match; do found+=("$match"); done < <(compgen -G "$name" | LC_ALL=C sort)
	[ ${#found[@]} -gt 0 ] || fail 4 "no file matches $name"
	paths+=("${found[@]}")
done
lines "${INPUT_ARGS-}"
extra=(${read_lines[@]+"${read_lines[@]}"})

# What is checked in mode split is what split has written.
declare -a checked=("${paths[@]}")
if [ "$mode" = split ]; then
	declare -a flags=()
	out=${INPUT_OUTPUT-}
	if [ -z "$out" ]; then
		flags+=(--in-place)
	elif [ "${out%/}" != "$out" ] || [ ${#paths[@]} -gt 1 ]; then
		mkdir -p -- "$out"
		flags+=("--out-dir=$out")
		checked=()
		for name in "${paths[@]}"; do checked+=("${out%/}/${name##*/}"); done
	else
		mkdir -p -- "$(dirname -- "$out")"
		flags+=("--output=$out")
		checked=("$out")
	fi
	if [ -n "${INPUT_COMPANION_DIR-}" ]; then
		mkdir -p -- "$INPUT_COMPANION_DIR"
		flags+=("--debug-dir=$INPUT_COMPANION_DIR")
	fi
	# The names of files begin lines of what split prints.
	token=$(mktemp -u "wasm-debugid-XXXXXXXXXXXXXXXX")
	echo "::stop-commands::$token"
	run split "${flags[@]}" ${extra[@]+"${extra[@]}"} -- "${paths[@]}"
	echo "::$token::"
	[ $code = 0 ] || fail $code "split failed with exit code $code; the log says why"
	extra=()
	mode=check
fi

declare -a flags=(--format=github)
[ -z "${INPUT_CLIENT-}" ] || flags+=("--for=$INPUT_CLIENT")
[ -z "${INPUT_MIN_COVERAGE-}" ] || flags+=("--min-coverage=$INPUT_MIN_COVERAGE")
[ -z "${INPUT_COMPANION_DIR-}" ] || flags+=("--debug=$INPUT_COMPANION_DIR")
[ -z "${INPUT_SARIF-}" ] || flags+=("--report=sarif=$INPUT_SARIF")
if [ ${#checked[@]} -gt 1 ]; then
	[ "$mode" = check ] || fail 2 "mode verify takes one module, and path names ${#checked[@]}; use one step for each"
	[ -z "${INPUT_COMPANION-}" ] || fail 2 'the input companion goes with one module; use companion-dir for several'
	flags+=(--each)
elif [ -n "${INPUT_COMPANION-}" ] && [ "${INPUT_MODE-}" != split ]; then
	checked+=("$INPUT_COMPANION")
fi

# The program writes its outputs where GITHUB_OUTPUT says; they are read here first.
GITHUB_OUTPUT=$(mktemp "${RUNNER_TEMP:-/tmp}/wasm-debugid-XXXXXX")
export GITHUB_OUTPUT
run "$mode" "${flags[@]}" ${extra[@]+"${extra[@]}"} -- "${checked[@]}"
cat -- "$GITHUB_OUTPUT" >>"$results"
warnings=$(sed -n 's/^warnings=//p' "$GITHUB_OUTPUT" | head -n 1)
rm -f -- "$GITHUB_OUTPUT"
GITHUB_OUTPUT=$results
if [ -n "${INPUT_SARIF-}" ] && [ -s "$INPUT_SARIF" ]; then
	printf 'sarif=%s\n' "$(native "$(absolute "$INPUT_SARIF")")" >>"$results"
fi
printf 'exit-code=%s\n' "$code" >>"$results"

case $fail_on:$code in
warning:0)
	if [ "${warnings:-0}" -gt 0 ]; then
		say error "$warnings warnings, and fail-on is warning"
		exit 1
	fi
	;;
never:1) exit 0 ;;
esac
exit "$code"

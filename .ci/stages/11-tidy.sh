# go.mod and go.sum are complete, minimal and match what is downloaded
go mod tidy -diff
go mod verify
# The module must stay installable by `go install MODULE@VERSION`.
if grep -q '^replace' go.mod; then
	echo 'go.mod has a replace directive: go install PATH@VERSION would refuse the module' >&2
	exit 1
fi

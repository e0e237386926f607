# the tests again under the race detector, shortened
apt gcc libc6-dev
installed
CGO_ENABLED=1 go test -race -short ./...

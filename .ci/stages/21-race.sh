# the tests again under the race detector, shortened
apt gcc libc6-dev
installed
# A process under the detector sleeps for a second before it exits, and scripts run hundreds.
GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 go test -race -short ./...

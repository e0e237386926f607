# the GitHub action step by step, actionlint over the workflows, shellcheck over the scripts, pre-commit's hooks
apt shellcheck curl unzip git
hooks=$(pip_set hooks)
installed

# Stages run behind lib.sh and `set -e`, which shellcheck cannot see.
shellcheck -s bash -e SC2154,SC2164 .ci/stages/*.sh
git ls-files -co --exclude-standard '*.sh' | grep -v '^\.ci/stages/' | xargs shellcheck -s bash
shellcheck -x .ci/run
go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.7 -color
echo 'shellcheck and actionlint have no complaints'

PATH=$hooks:$PATH WASM_DEBUGID_STAGE=actions go test ./internal/actions -count=1 -timeout 20m -v | sed -uE '/^ *=== (RUN|PAUSE|CONT|NAME)/d'

// Package actions holds the tests of what other systems run: the GitHub action with
// its scripts, the workflows, the hooks of pre-commit and the template for GitLab.
// It runs the steps of the action as a runner would, as far as that is possible
// without one.
package actions

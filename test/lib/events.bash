# events.bash - events as cx-run would record them: load ../lib/events
#
# shellcheck shell=bash

# An allowed event; further arguments are jq programs over it.
event() {
	local filter=.
	for change; do filter="$filter | $change"; done
	jq -cn '{organizationId: "acme", actorPrincipalId: "ada",
		actorPrincipalType: "model", authSource: "agent",
		resourceType: "execution_sandbox", resourceId: "j-1",
		operation: "sandbox_execute", decision: "allowed",
		metadata: {surface: "chat", cwd: "/workspace", reason: null,
		exitCode: 0, termination: "exited", imageDigest: null,
		egressMode: "none", egressTotalBytes: 0, wallMs: 5,
		workspaceKb: 0}} | '"$filter"
}

append() {
	event "$@" | cx-audit append
}

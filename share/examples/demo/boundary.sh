#!/bin/bash
# boundary.sh - what a command can't do, found out from inside, as JSON.
# Runs in the workspace that the three commands left behind.

# The last words of what a refused attempt said.
attempt() {
	local said

	if said=$( { "$@"; } 2>&1 ); then
		echo "POSSIBLE"
	else
		said=${said##*$'\n'}
		echo "${said##*: }"
	fi
}

write_usr() { : >/usr/bin/planted; }
connect() { exec 3<>/dev/tcp/192.0.2.1/80; }
become_root() { unshare -Ur true; }

cd /workspace/work || exit 1
jq -n \
	--arg os "$(. /etc/os-release && echo "$PRETTY_NAME")" \
	--arg user "$(id -u):$(id -g)" \
	--arg caps "$(sed -n 's/^CapBnd:\s*//p' /proc/self/status)" \
	--arg write "$(attempt write_usr)" \
	--arg connect "$(attempt connect)" \
	--arg root "$(attempt become_root)" \
	--arg interfaces "$(sed -n 's/^ *\([^ ]*\):.*/\1/p' /proc/net/dev | paste -sd' ')" \
	--argjson processes "$(find /proc -maxdepth 1 -name '[0-9]*' | wc -l)" \
	--slurpfile stats stats.json --slurpfile words words.json \
	--slurpfile log log.json --slurpfile index index.json \
	'{$os, $user, $caps, $write, $connect, $root, $interfaces, $processes,
	  kept: {orders: $stats[0].orders, words: $words[0].words,
	         commits: $log[0].commits, indexed: ($index[0] | length)}}'

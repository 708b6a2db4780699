#!/bin/bash
# log.sh - who did what in a repository that came as a bundle, as JSON; beside
# it, what the two commands before left in this workspace.
set -euo pipefail

git clone --quiet "$1" repository
git -C repository log --format='%an%x09%as%x09%s' |
	jq -R 'split("\t") | {author: .[0], day: .[1], subject: .[2]}' |
	jq -s '{
		commits: length,
		authors: (group_by(.author) | map({(.[0].author): length}) | add),
		areas: (group_by(.subject | split(":")[0])
			| map({(.[0].subject | split(":")[0]): length}) | add),
		first: .[-1].day,
		last: .[0].day
	}'

/*
 * migration.c - see migration.h.
 *
 * Times are whole seconds since 1970 in columns that end in _at. States are
 * words. What a column means stands beside it.
 */
#include "store/migration.h"

#include "base/count.h"

static const char *const step[] = {
	/* environment layers: one row for a recipe in a partition */
	"CREATE TABLE layers ("
	" recipe_key TEXT NOT NULL,"
	" partition TEXT NOT NULL,"       /* instance, or org:<id> */
	" image_digest TEXT NOT NULL,"
	" l0_digest TEXT NOT NULL,"
	" spec TEXT NOT NULL,"            /* canonical JSON */
	" kid TEXT NOT NULL,"             /* of the provenance's signature */
	" size_bytes INTEGER NOT NULL,"
	" made_at INTEGER NOT NULL,"
	" used_at INTEGER NOT NULL,"
	" PRIMARY KEY (recipe_key, partition)) STRICT, WITHOUT ROWID;"
	"CREATE INDEX layers_kid ON layers (kid);"
	/* who holds a layer: dropped with its organization, never shared */
	"CREATE TABLE refs ("
	" org_id TEXT NOT NULL,"
	" name TEXT NOT NULL,"
	" recipe_key TEXT NOT NULL,"
	" partition TEXT NOT NULL,"
	" archived INTEGER NOT NULL DEFAULT 0,"
	" made_at INTEGER NOT NULL,"
	" PRIMARY KEY (org_id, name, recipe_key, partition)"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX refs_recipe ON refs (recipe_key, partition);"
	"CREATE TABLE runs ("
	" org_id TEXT NOT NULL,"
	" run_id TEXT NOT NULL,"
	" user_id TEXT NOT NULL,"
	" agent_id TEXT NOT NULL DEFAULT '',"
	" snapshot_rev TEXT NOT NULL DEFAULT '',"
	" spec_digest TEXT NOT NULL DEFAULT '',"
	" posture TEXT NOT NULL DEFAULT 'inherit',"
	" state TEXT NOT NULL,"           /* live, ended, over_quota */
	" commands INTEGER NOT NULL DEFAULT 0,"
	" opened_at INTEGER NOT NULL,"
	" ended_at INTEGER,"
	" PRIMARY KEY (org_id, run_id)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE jobs ("
	" id TEXT NOT NULL PRIMARY KEY,"
	" org_id TEXT NOT NULL,"
	" user_id TEXT NOT NULL,"
	" state TEXT NOT NULL,"           /* as of runs */
	" commands INTEGER NOT NULL DEFAULT 0,"
	" opened_at INTEGER NOT NULL,"
	" ended_at INTEGER"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE workspaces ("
	" org_id TEXT NOT NULL,"
	" key TEXT NOT NULL,"
	" name TEXT NOT NULL DEFAULT '',"
	" state TEXT NOT NULL,"
	" size_kib INTEGER NOT NULL DEFAULT 0,"
	" made_at INTEGER NOT NULL,"
	" used_at INTEGER NOT NULL,"
	" PRIMARY KEY (org_id, key)) STRICT, WITHOUT ROWID;"
	/* how often a carrier was spent, by the MAC at its caveat */
	"CREATE TABLE spent ("
	" mac BLOB NOT NULL PRIMARY KEY,"
	" count INTEGER NOT NULL,"
	" expires_at INTEGER NOT NULL"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX spent_expires ON spent (expires_at);"
	"CREATE TABLE revoked ("
	" jti TEXT NOT NULL PRIMARY KEY,"
	" revoked_at INTEGER NOT NULL"
	") STRICT, WITHOUT ROWID;"
	/* denied events that were recorded of late, and how many more came */
	"CREATE TABLE cooldown ("
	" key BLOB NOT NULL PRIMARY KEY,"
	" recorded_at INTEGER NOT NULL,"
	" suppressed INTEGER NOT NULL"
	") STRICT, WITHOUT ROWID;",
	/* of package.yaml: over the configuration, which is over posture */
	"ALTER TABLE runs ADD COLUMN"
	" package_posture TEXT NOT NULL DEFAULT 'inherit';",
};

int cx_migration_steps(void)
{
	return (int)CX_COUNT(step);
}

const char *cx_migration_step(int number)
{
	return step[number];
}

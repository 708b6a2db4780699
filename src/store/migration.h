/* migration.h - the tables of cx.db, as steps that are never changed later. */
#ifndef CX_STORE_MIGRATION_H
#define CX_STORE_MIGRATION_H

/* The number of steps; PRAGMA user_version says how many were taken. */
int cx_migration_steps(void);

/* The SQL of step number, from 0. */
const char *cx_migration_step(int number);

#endif

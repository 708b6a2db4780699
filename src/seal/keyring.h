/* keyring.h - the key verbs: new, activate, list, retire. */
#ifndef CX_SEAL_KEYRING_H
#define CX_SEAL_KEYRING_H

#include "data/json.h"
#include "seal/desk.h"

/* Each gives the entry of ring.json that it made or changed, the caller's. */

/* purpose NULL: session. kid NULL: one of our own. Made verify-only. */
int cx_keyring_new(struct cx_desk *desk, const char *purpose, const char *kid,
                   json_t **ret_entry, struct cx_err *err);

/* From now on this key signs; the one that did goes on opening. */
int cx_keyring_activate(struct cx_desk *desk, const char *kid,
                        json_t **ret_entry, struct cx_err *err);

/*
 * From now on what this key signed opens nothing. A provenance key whose layers
 * are still there is CX_E_PROVENANCE_INVALID unless forced. *ret_idle: no key
 * of its purpose is active now.
 */
int cx_keyring_retire(struct cx_desk *desk, const char *kid, bool force,
                      bool *ret_idle, json_t **ret_entry, struct cx_err *err);

/* {"keys": [entry...]}. */
int cx_keyring_list(struct cx_desk *desk, json_t **ret_doc,
                    struct cx_err *err);

#endif

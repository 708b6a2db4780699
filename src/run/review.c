/* review.c - see review.h. */
#include "run/review.h"

#include "base/clock.h"
#include "run/changes.h"
#include "store/label.h"
#include "store/pending.h"

static const char *const states[] = {
	[CX_REVIEW_SHOW] = "pending",
	[CX_REVIEW_COMMIT] = "committed",
	[CX_REVIEW_DISCARD] = "discarded",
	NULL,
};

static const struct cx_shape member[] = {
	{ .name = "state", .kind = CX_SHAPE_TEXT, .word = states,
	  .required = true, .about = "What became of the changes." },
	{ .name = "madeAt", .kind = CX_SHAPE_TEXT,
	  .about = "When the dry run began." },
	{ .name = "stale", .kind = CX_SHAPE_BOOL, .required = true,
	  .about = "The workspace has changed since: they can't be "
	           "committed." },
	{ .name = "changes", .kind = CX_SHAPE_OBJECT,
	  .sub = cx_changes_member, .required = true,
	  .about = "From the workspace as it was to what the dry run left." },
	{ .name = NULL },
};
const struct cx_shape cx_review_shape = {
	.kind = CX_SHAPE_OBJECT, .sub = member, .open = true,
};

static int settle(const struct cx_volume *volume, enum cx_review what,
                  const struct cx_pending *pending, struct cx_err *err)
{
	switch (what) {
	case CX_REVIEW_COMMIT:
		if (cx_pending_commit(cx_volume_place(volume), volume->data_fd,
		                      pending, err) < 0)
			return -1;
		cx_label_touch(volume->lease_fd);
		return 0;
	case CX_REVIEW_DISCARD:
		return cx_pending_discard(cx_volume_place(volume), err);
	case CX_REVIEW_SHOW:
		break;
	}
	return 0;
}

int cx_review_changes(struct cx_broker *broker,
                      const struct cx_workspace_words *words,
                      enum cx_review what, json_t **ret_doc,
                      struct cx_err *err)
{
	CX_AUTO_VOLUME struct cx_volume volume = CX_VOLUME_NONE;
	CX_AUTO_PENDING struct cx_pending pending = CX_PENDING_NONE;
	json_t *changes = NULL;
	char made[21];
	bool stale;

	if (cx_workspace_find(broker, words, CX_TURN_ALONE, false, &volume,
	                      err) < 0 ||
	    cx_pending_open(cx_volume_place(&volume), &pending, err) < 0 ||
	    cx_pending_is_stale(&pending, volume.data_fd, &stale, err) < 0 ||
	    cx_changes_list(volume.data_fd, pending.data_fd, &changes,
	                    err) < 0)
		return -1;
	if (settle(&volume, what, &pending, err) < 0) {
		json_decref(changes);
		return -1;
	}
	cx_clock_text(pending.made, made);
	*ret_doc = json_pack("{s:s, s:s, s:b, s:o}", "state", states[what],
	                     "madeAt", made, "stale", stale, "changes",
	                     changes);
	return 0;
}

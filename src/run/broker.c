/* broker.c - see broker.h. */
#include "run/broker.h"

#include "box/holding.h"

int cx_broker_open(struct cx_broker *ret, struct cx_err *err)
{
	*ret = CX_BROKER_NONE;
	if (cx_config_load(&ret->config, err) < 0 ||
	    cx_state_open(&ret->state, err) < 0)
		return -1;
	ret->db.state = &ret->state;
	ret->sealer = (struct cx_sealer){
		.state = &ret->state,
		.config = &ret->config,
		.db = &ret->db,
	};
	cx_record_open(&ret->state, &ret->db, cx_record_sync(&ret->config),
	               &ret->sink);
	return 0;
}

int cx_broker_need_image(struct cx_broker *broker, struct cx_err *err)
{
	if (broker->has_image)
		return 0;
	if (cx_state_shared(broker->config.store_shared, &broker->state,
	                    &broker->shared, err) < 0 ||
	    cx_image_open(&broker->state,
	                  broker->shared.fd < 0 ? NULL : &broker->shared,
	                  broker->config.l0, &broker->image, err) < 0)
		return -1;
	broker->has_image = true;
	return 0;
}

/* What is found is the first guard's, too. */
int cx_broker_hold(struct cx_broker *broker, const struct cx_quota *quota,
                   struct cx_err *err)
{
	if (!broker->has_subtree)
		cx_subtree_find(&broker->subtree);
	broker->has_subtree = true;
	return cx_holding_require(quota, broker->subtree.holds, NULL, err);
}

void cx_broker_done(struct cx_broker *broker)
{
	cx_courier_done(&broker->courier);
	if (broker->has_subtree)
		cx_subtree_done(&broker->subtree);
	if (broker->has_image)
		cx_image_done(&broker->image);
	cx_record_done(&broker->sink);
	cx_sealer_done(&broker->sealer);
	cx_db_done(&broker->db);
	cx_state_done(&broker->shared);
	cx_state_done(&broker->state);
	cx_config_done(&broker->config);
}

/* claims.c - see claims.h. */
#include "model/claims.h"

#include "base/promise.h"
#include "base/str.h"
#include "model/jcs.h"

struct texts {
	char org[CX_SESSION_ID_MAX_BYTES + 1];
	char user[CX_SESSION_ID_MAX_BYTES + 1];
	char run[CX_SESSION_ID_MAX_BYTES + 1];
	char surface[16];
	bool has_run;
};

bool cx_claims_is_jti(const char *text)
{
	return strlen(text) < CX_CLAIMS_JTI_MAX &&
	       cx_str_only(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                         "abcdefghijklmnopqrstuvwxyz0123456789_-");
}

static bool read_text(struct cx_jcs *reader, const char *key, char *ret,
                      size_t size)
{
	return cx_jcs_take(reader, key) &&
	       cx_jcs_read_text(reader, ret, size);
}

static bool read_number(struct cx_jcs *reader, const char *key, int64_t *ret)
{
	return cx_jcs_take(reader, key) && cx_jcs_read_number(reader, ret);
}

/* The members in their canonical order: sorted by name, each exactly once. */
static bool read_all(struct cx_jcs *reader, struct cx_claims *claims,
                     struct texts *text)
{
	if (!read_text(reader, "{\"aud\":", claims->aud, sizeof claims->aud) ||
	    !read_number(reader, ",\"exp\":", &claims->exp) ||
	    !read_number(reader, ",\"iat\":", &claims->iat) ||
	    !read_text(reader, ",\"jti\":", claims->jti, sizeof claims->jti) ||
	    !read_text(reader, ",\"orgId\":", text->org, sizeof text->org))
		return false;
	text->has_run = cx_jcs_take(reader, ",\"runId\":");
	if (text->has_run &&
	    !cx_jcs_read_text(reader, text->run, sizeof text->run))
		return false;
	return read_text(reader, ",\"surface\":", text->surface,
	                 sizeof text->surface) &&
	       read_text(reader, ",\"userId\":", text->user,
	                 sizeof text->user) &&
	       cx_jcs_take(reader, "}") && cx_jcs_ended(reader);
}

static int refuse(struct cx_err *err, const char *why)
{
	return cx_err_set(err, CX_E_CARRIER_BAD_CLAIMS,
	                  "the carrier's claims are refused: %s; mint a new "
	                  "one", why);
}

static int check(const struct cx_claims *claims, int64_t max_ttl_s,
                 struct cx_err *err)
{
	if (claims->aud[0] == '\0' || cx_str_has_control(claims->aud))
		return refuse(err, "aud is no plain text");
	if (!cx_claims_is_jti(claims->jti))
		return refuse(err, "jti is outside its grammar");
	if (claims->iat < 0 || claims->exp <= claims->iat)
		return refuse(err, "exp doesn't come after iat");
	if (!CX_PROMISE(lifetime_bounded,
	                claims->exp - claims->iat <= max_ttl_s))
		return refuse(err, "exp is later than iat and seal.max_ttl "
		                   "allow");
	return 0;
}

int cx_claims_read(const char *bytes, size_t size, int64_t max_ttl_s,
                   struct cx_claims *ret, struct cx_err *err)
{
	struct cx_jcs reader = { bytes, bytes + size };
	struct cx_claims claims = { .exp = 0 };
	struct texts text = { .has_run = false };
	bool exact = read_all(&reader, &claims, &text);

	if (!CX_PROMISE(claims_exact, exact))
		return refuse(err, "they aren't exactly the known members in "
		                   "canonical form");
	if (check(&claims, max_ttl_s, err) < 0)
		return -1;
	if (cx_session_make(cx_str_ends(claims.aud, "/probe")
	                    ? CX_SESSION_EITHER : CX_SESSION_TENANT,
	                    text.org, text.user, text.surface,
	                    text.has_run ? text.run : NULL, &claims.session,
	                    err) < 0) {
		char why[200];

		snprintf(why, sizeof why, "%.190s", err->text);
		return refuse(err, why);
	}
	*ret = claims;
	return 0;
}

static void write_text(const char *key, const char *value, struct cx_buf *ret)
{
	cx_buf_text(ret, key);
	cx_jcs_write_text(value, ret);
}

void cx_claims_write(const struct cx_claims *claims, struct cx_buf *ret)
{
	const struct cx_session *session = &claims->session;

	write_text("{\"aud\":", claims->aud, ret);
	cx_buf_text(ret, ",\"exp\":");
	cx_jcs_write_number(claims->exp, ret);
	cx_buf_text(ret, ",\"iat\":");
	cx_jcs_write_number(claims->iat, ret);
	write_text(",\"jti\":", claims->jti, ret);
	write_text(",\"orgId\":", session->org_id, ret);
	if (session->run_id[0])
		write_text(",\"runId\":", session->run_id, ret);
	write_text(",\"surface\":", cx_surface_text(session->surface), ret);
	write_text(",\"userId\":", session->user_id, ret);
	cx_buf_byte(ret, '}');
}

/* stream.c - see stream.h. */
#include "box/stream.h"

#include "base/mem.h"
#include "base/str.h"

void cx_stream_start(uint64_t cap, enum cx_quota_cap policy,
                     struct cx_stream *ret)
{
	*ret = (struct cx_stream){ .cap = (size_t)cap, .policy = policy };
	cx_digest_start(&ret->digest);
}

static size_t head_bytes(const struct cx_stream *stream)
{
	return stream->cap / 4;
}

/* Sixteen bytes at a time, whose counters are emptied before they run over:
 * text of short lines would cost a call for each with memchr. */
typedef unsigned char lanes __attribute__((vector_size(16)));
enum { LANES = sizeof(lanes), LANE_MAX = 255 };

static uint64_t sum(lanes counters)
{
	uint64_t all = 0;

	for (size_t i = 0; i < LANES; i++)
		all += counters[i];
	return all;
}

static uint64_t count_lines(const char *data, size_t size)
{
	uint64_t lines = 0;

	while (size >= LANES) {
		size_t rounds = size / LANES;
		lanes counters = { 0 };

		rounds = rounds < LANE_MAX ? rounds : LANE_MAX;
		for (size_t i = 0; i < rounds; i++) {
			lanes bytes;

			memcpy(&bytes, data + i * LANES, LANES);
			counters -= (lanes)(bytes == '\n');
		}
		lines += sum(counters);
		data += rounds * LANES;
		size -= rounds * LANES;
	}
	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	return lines;
}

/* Writes over the oldest bytes of the ring behind the head. */
static void add_to_ring(struct cx_stream *stream, const char *data, size_t size)
{
	size_t head = head_bytes(stream);
	size_t ring = stream->cap - head;

	if (ring == 0)
		return;
	if (size > ring) {
		data += size - ring;
		size = ring;
	}
	while (size > 0) {
		size_t step = ring - stream->ring_at;

		if (step > size)
			step = size;
		memcpy(stream->kept.data + head + stream->ring_at, data, step);
		stream->ring_at = (stream->ring_at + step) % ring;
		data += step;
		size -= step;
	}
}

void cx_stream_keep(struct cx_stream *stream, const char *data, size_t size)
{
	size_t room = stream->cap - stream->kept.size;

	stream->total_bytes += size;
	stream->total_lines += count_lines(data, size);
	if (room > size)
		room = size;
	if (room > 0)
		cx_buf_add(&stream->kept, data, room);
	if (size > room && stream->policy == CX_QUOTA_CAP_TRUNCATE)
		add_to_ring(stream, data + room, size - room);
}

void cx_stream_add(struct cx_stream *stream, const char *data, size_t size)
{
	cx_digest_add(&stream->digest, data, size);
	cx_stream_keep(stream, data, size);
}

bool cx_stream_is_over(const struct cx_stream *stream)
{
	return stream->total_bytes > stream->cap;
}

/* Bytes at the start of data that go on with a character from before. */
static size_t cut_at_start(const char *data, size_t size)
{
	size_t n = 0;

	while (n < 3 && n < size && ((unsigned char)data[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* Text whose whole characters stand left of a cut; other bytes stay as they
 * are, since they were never characters. */
static size_t whole_head(const char *data, size_t size)
{
	return size - cx_str_utf8_cut(data, size);
}

static void unroll(const struct cx_stream *stream, struct cx_buf *ret)
{
	size_t head = head_bytes(stream);
	size_t ring = stream->cap - head;

	cx_buf_add(ret, stream->kept.data + head + stream->ring_at,
	           ring - stream->ring_at);
	cx_buf_add(ret, stream->kept.data + head, stream->ring_at);
}

static void end_truncated(struct cx_stream *stream,
                          struct cx_report_stream *ret)
{
	CX_AUTO_BUF struct cx_buf tail = { 0 };
	size_t skip;

	ret->gap_at = whole_head(stream->kept.data, head_bytes(stream));
	unroll(stream, &tail);
	skip = cut_at_start(tail.data, tail.size);
	memcpy(stream->kept.data + ret->gap_at, tail.data + skip,
	       tail.size - skip);
	stream->kept.size = ret->gap_at + tail.size - skip;
}

void cx_stream_end(struct cx_stream *stream, struct cx_report_stream *ret)
{
	*ret = (struct cx_report_stream){
		.truncated = cx_stream_is_over(stream),
		.total_bytes = stream->total_bytes,
		.total_lines = stream->total_lines,
	};
	cx_digest_end(&stream->digest, &ret->sha256);
	if (ret->truncated && stream->cap > 0 &&
	    stream->policy == CX_QUOTA_CAP_TRUNCATE) {
		end_truncated(stream, ret);
	} else if (ret->truncated && stream->cap > 0) {
		stream->kept.size = whole_head(stream->kept.data,
		                               stream->kept.size);
		ret->gap_at = stream->kept.size;
	}
	ret->kept_bytes = stream->kept.size;
	ret->kept = cx_buf_take(&stream->kept);
	ret->kept[ret->kept_bytes] = '\0';
}

void cx_stream_done(struct cx_stream *stream)
{
	cx_buf_done(&stream->kept);
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "signals.h"

#define WRAP	(INT64_C(1) << 32)

struct telling {
	sbd_tell *tell;
	void *context;
};

static int tell(const struct sbd_signals *s, int64_t time_ns, enum sbd_kind kind, int64_t value,
		const struct telling *to)
{
	const struct sbd_event event = {
		.time_ns = time_ns, .place = s->place, .kind = kind, .value = value
	};

	return to->tell(to->context, &event);
}

/* Tell what one ACK tells. */
static int flush(struct sbd_signals *s, const struct telling *to)
{
	int64_t newly_bytes = s->acked_bytes - s->row_acked_bytes;
	int failed;

	if (!s->has_row)
		return 0;
	s->has_row = false;
	s->row_acked_bytes = s->acked_bytes;
	failed = tell(s, s->row_ns, SBD_ACK, s->acked_bytes, to);
	if (!failed && s->seen & 1U << SBD_LINE_ECE)
		failed = tell(s, s->row_ns, SBD_MARK, newly_bytes, to);
	if (!failed && s->seen & 1U << SBD_LINE_RTT)
		failed = tell(s, s->row_ns, SBD_RTT, s->rtt_us, to);
	if (!failed && s->seen & 1U << SBD_LINE_OWD)
		failed = tell(s, s->row_ns, SBD_OWD, s->owd_us, to);
	return failed;
}

static int start_row(struct sbd_signals *s, int64_t time_ns, const struct telling *to)
{
	int failed = flush(s, to);

	s->has_row = true;
	s->has_ack = false;
	s->row_ns = time_ns;
	s->seen = 0;
	return failed;
}

/* The number nearest to one before whose low 32 bits are given. */
static int64_t unwrapped(int64_t before, int64_t low)
{
	uint64_t ahead = ((uint64_t)low - (uint64_t)before + WRAP / 2) % WRAP;

	return before + (int64_t)ahead - WRAP / 2;
}

static void acknowledge(struct sbd_signals *s, enum sbd_line_kind kind, int64_t value)
{
	if (kind == SBD_LINE_UNA) {
		if (!s->has_base)
			s->base = value;
		s->has_base = true;
		value = unwrapped(s->base + s->acked_bytes, value) - s->base;
	} else if (value < WRAP && s->acked_bytes - value > WRAP / 2) {
		value = unwrapped(s->acked_bytes, value);
	}
	if (value > s->acked_bytes)
		s->acked_bytes = value;
}

static int take_ack(struct sbd_signals *s, int64_t time_ns, enum sbd_line_kind kind, int64_t value,
		    const struct telling *to)
{
	int failed = 0;

	if (!s->has_row || s->row_ns != time_ns || s->has_ack)
		failed = start_row(s, time_ns, to);
	s->has_ack = true;
	if (kind != SBD_LINE_DUP)
		acknowledge(s, kind, value);
	return failed;
}

static int take_attribute(struct sbd_signals *s, int64_t time_ns, enum sbd_line_kind kind,
			  int64_t value, const struct telling *to)
{
	int failed = 0;

	if (!s->has_row || s->row_ns != time_ns || s->seen & 1U << kind)
		failed = start_row(s, time_ns, to);
	s->seen |= 1U << kind;
	if (kind == SBD_LINE_RTT)
		s->rtt_us = value;
	else if (kind == SBD_LINE_OWD)
		s->owd_us = value;
	return failed;
}

int sbd_signals_take(struct sbd_signals *signals, int64_t time_ns, enum sbd_line_kind kind,
		     int64_t value, sbd_tell *teller, void *context)
{
	const struct telling to = { teller, context };

	switch (kind) {
	case SBD_LINE_ACK:
	case SBD_LINE_UNA:
	case SBD_LINE_DUP:
		return take_ack(signals, time_ns, kind, value, &to);
	case SBD_LINE_CA:
		return tell(signals, time_ns, SBD_CA, value, &to);
	case SBD_LINE_LOSS:
		return tell(signals, time_ns, SBD_LOSS, value, &to);
	case SBD_LINE_RTX:
	case SBD_LINE_GROUP:
	case SBD_LINE_KINDS:
		return 0;
	default:
		return take_attribute(signals, time_ns, kind, value, &to);
	}
}

int sbd_signals_flush(struct sbd_signals *signals, sbd_tell *teller, void *context)
{
	const struct telling to = { teller, context };

	return flush(signals, &to);
}

int sbd_compare_events(const struct sbd_event *a, const struct sbd_event *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

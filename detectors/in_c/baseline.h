/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Baseline detectors: events of a connection's subflows in, partitions of the subflows over time
 * out
 *
 * Each is the twin of a module in detectors/, to the last bit: the same opinions at the same
 * times. Sums of doubles are therefore taken in the same order, and products are not fused into
 * them.
 *
 * A detector is one file, and one line in sbd_baselines[] (baseline.c).
 */
#ifndef SBD_BASELINE_H
#define SBD_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SBD_NS_PER_S		INT64_C(1000000000)
#define SBD_NS_PER_MS		INT64_C(1000000)
#define SBD_NS_PER_US		INT64_C(1000)
#define SBD_NEVER		INT64_MAX	/* later than any time */

#define SBD_SUBFLOWS_LIMIT	256
#define SBD_PARAMETER_TEXT	64	/* bytes that any parameter's text fits into, with its end */

/* What an event tells, and what its value is. Of one moment, lower kinds come first. */
enum sbd_kind {
	SBD_CA,			/* congestion state: Open, Disorder, CWR, Recovery, Loss */
	SBD_LOSS,		/* packets lost */
	SBD_ACK,		/* bytes acknowledged so far */
	SBD_MARK,		/* an ACK that echoes congestion: bytes it acknowledges first */
	SBD_RTT,		/* us */
	SBD_OWD,		/* us, of an unknown zero */
	SBD_KINDS
};

#define SBD_KIND_BIT(kind)	(UINT32_C(1) << (kind))

enum sbd_ca_state {
	SBD_STATE_OPEN,
	SBD_STATE_DISORDER,
	SBD_STATE_CWR,
	SBD_STATE_RECOVERY,
	SBD_STATE_LOSS
};

/*
 * Those of a connection come in order of time, then of kind, then of place. Times are from 0 on,
 * and below 2^62; an RTT is from 1 on, and has 32 bits; the size of other values is at most 2^53,
 * up to which every integer is a double.
 */
struct sbd_event {
	int64_t time_ns;
	int32_t place;		/* of the subflow, in order of their numbers */
	int32_t kind;
	int64_t value;
};

/*
 * What a detector says of a connection: the changes of its opinion, in order of time. Before the
 * first there is none.
 */
struct sbd_opinions {
	unsigned int subflows;
	size_t size;
	int64_t *time_ns;	/* from when on */
	int16_t *group;		/* of each subflow, size rows; SBD_NO_OPINION where there is none */
	int error;		/* 0, or -errno: what is said is not complete */

	/* Private. */
	size_t capacity;
	int16_t *held;		/* partition that holds now */
	int16_t *drawn;		/* scratch of sbd_say*() */
};

#define SBD_NO_OPINION		(-1)

/* 0, or -EINVAL for more subflows than SBD_SUBFLOWS_LIMIT, or -ENOMEM. */
int sbd_opinions_init(struct sbd_opinions *said, unsigned int subflows);
void sbd_opinions_free(struct sbd_opinions *said);

/*
 * Say from a time on what the groups are: any number for a group, SBD_NO_OPINION for none. They are
 * numbered anew, in order of appearance. Nothing is noted where nothing changes; of one moment the
 * last opinion is the opinion. For want of memory, said->error is set.
 */
void sbd_say(struct sbd_opinions *said, int64_t time_ns, const int *group);

/* What is said of two subflows. */
enum sbd_said {
	SBD_UNSAID = -1,
	SBD_APART = 0,
	SBD_TOGETHER = 1
};

/* Every two subflows have a place: (0, 1), (0, 2), ..., (1, 2), ... */
static inline size_t sbd_pairs(unsigned int subflows)
{
	return subflows ? (size_t)subflows * (subflows - 1) / 2 : 0;
}

/* Of first < second. */
static inline size_t sbd_pair_place(unsigned int first, unsigned int second, unsigned int subflows)
{
	return (size_t)first * (2 * subflows - first - 1) / 2 + second - first - 1;
}

/*
 * Say the largest groups such that no two subflows of different groups are SBD_TOGETHER, as
 * sbd_say() does; a subflow of which nothing is said in any pair has no group.
 *
 * @verdict: enum sbd_said of each pair, by sbd_pair_place()
 */
void sbd_say_pairs(struct sbd_opinions *said, int64_t time_ns, const int8_t *verdict);

enum sbd_parameter_type {
	SBD_INT,		/* int64_t */
	SBD_DOUBLE,		/* double */
	SBD_BOOL,		/* bool: "true" or "false" */
	SBD_CHOICE,		/* int: place in choices */
	SBD_OPTIONAL_INT,	/* struct sbd_optional_int: "none" or a number */
	SBD_OPTIONAL_DOUBLE	/* struct sbd_optional_double: "none" or a number */
};

struct sbd_optional_int {
	bool given;
	int64_t value;
};

struct sbd_optional_double {
	bool given;
	double value;
};

struct sbd_parameter {
	const char *name;
	enum sbd_parameter_type type;
	size_t offset;			/* in the detector's parameters */
	const char *const *choices;	/* of SBD_CHOICE, NULL behind the last */
};

/* A detector. Its parameters are a struct of its own; its state is made by create(). */
struct sbd_baseline {
	const char *name;			/* "rfc8382" */
	const struct sbd_parameter *parameters;	/* one without a name behind the last */
	size_t parameters_size;
	const void *defaults;

	bool (*possible)(const void *parameters);	/* NULL: all are */
	/* Bits of the kinds of events it is told. */
	uint32_t (*wanted)(const void *parameters);

	/*
	 * Begin with a connection; NULL without memory. Parameters and opinions outlive the state. The
	 * detector says what it says by sbd_say(); where it fails later, it sets said->error.
	 */
	void *(*create)(const void *parameters, unsigned int subflows, struct sbd_opinions *said);
	/* Take an event of a kind it wants, none older than the one before. */
	void (*on_event)(void *state, const struct sbd_event *event);
	/* Do what is due up to a time, though nothing happens. */
	void (*advance)(void *state, int64_t time_ns);
	void (*destroy)(void *state);
};

extern const struct sbd_baseline *const sbd_baselines[];	/* NULL behind the last */

/* NULL if there is none of that name. */
const struct sbd_baseline *sbd_baseline_of(const char *name);

/* Set a parameter by name; 0, or -ENOENT for an unknown name, -EINVAL for a value that is none. */
int sbd_set(const struct sbd_baseline *baseline, void *parameters, const char *name,
	    const char *text);

/* Print a parameter such that sbd_set() reads the same value. */
void sbd_print(const struct sbd_parameter *parameter, const void *parameters,
	       char text[SBD_PARAMETER_TEXT]);

/*
 * Replay a detector on a connection; kinds it does not want are passed over.
 *
 * @said: begun by sbd_opinions_init() with as many subflows as places occur in @events
 *
 * Returns 0, or -EINVAL for parameters or an event that are not possible, or -errno.
 */
int sbd_replay(const struct sbd_baseline *baseline, const void *parameters,
	       const struct sbd_event *events, size_t size, int64_t end_ns,
	       struct sbd_opinions *said);

/* The RTT as a sender smooths it, in eighths of a microsecond: 0 before the first sample. */
static inline int64_t sbd_smoothed(int64_t srtt_eighth_us, int64_t rtt_us)
{
	if (!srtt_eighth_us)
		return 8 * rtt_us;
	return srtt_eighth_us - (srtt_eighth_us >> 3) + rtt_us;
}

#define SBD_NS_PER_EIGHTH_US	125
#define SBD_SRTTS_LIMIT		1e5	/* such that as many of any RTT are a time in 64 bits */

/* Take a change of congestion state, at first Open; whether a loss event begins with it. */
static inline bool sbd_loss_begins(int64_t *ca_state, int64_t next)
{
	int64_t before = *ca_state;

	*ca_state = next;
	return next >= SBD_STATE_RECOVERY && before < SBD_STATE_RECOVERY;
}

/* Rounded down, as Python divides. */
static inline int64_t sbd_floor_div(int64_t dividend, int64_t divisor)
{
	int64_t quotient = dividend / divisor;

	return quotient - (dividend % divisor && (dividend % divisor < 0) != (divisor < 0));
}

extern const struct sbd_baseline sbd_rfc8382;
extern const struct sbd_baseline sbd_mptcp_sbd;
extern const struct sbd_baseline sbd_dwc;
extern const struct sbd_baseline sbd_ton20;
extern const struct sbd_baseline sbd_emptcp;
extern const struct sbd_baseline sbd_correlation;
extern const struct sbd_baseline sbd_rubenstein;
extern const struct sbd_baseline sbd_wavelet;
extern const struct sbd_baseline sbd_svd;
extern const struct sbd_baseline sbd_trend_line;
extern const struct sbd_baseline sbd_lag_excess;
extern const struct sbd_baseline sbd_common_lag;

#endif

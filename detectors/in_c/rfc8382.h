/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The summary statistics of RFC 8382, renewed at the end of each interval: twin of
 * detectors/rfc8382.py, where the parameters are explained
 */
#ifndef SBD_RFC8382_H
#define SBD_RFC8382_H

#include "baseline.h"

enum sbd_delay { SBD_DELAY_RTT, SBD_DELAY_OWD };
enum sbd_loss_difference { SBD_LOSS_RELATIVE, SBD_LOSS_ABSOLUTE };
enum sbd_loss_step { SBD_LOSS_AFTER, SBD_LOSS_INSTEAD };
enum sbd_loss_from { SBD_LOSS_ABOVE, SBD_LOSS_FROM_P_L };
enum sbd_noise { SBD_NOISE_KEPT, SBD_NOISE_REMOVED, SBD_NOISE_RFC_LITERAL };
enum sbd_frequency_over { SBD_OVER_RING, SBD_OVER_NONEMPTY };

struct sbd_thresholds {
	int delay;
	int64_t interval_ms;
	int64_t n, m;
	struct sbd_optional_int f;
	double c_s, c_h;
	double p_f, p_mad, p_s, p_d, p_v, p_l;
	int loss_difference;
	int loss_step;
	int loss_from;
	bool bottleneck_test;
	int noise;
	int frequency_over;
};

extern const char *const sbd_delays[];
extern const char *const sbd_loss_differences[];
extern const char *const sbd_loss_steps[];
extern const char *const sbd_loss_froms[];
extern const char *const sbd_noises[];
extern const char *const sbd_frequencies_over[];

/* Parameters of struct sbd_thresholds at the beginning of a struct. */
#define SBD_THRESHOLD(type, name)	{ #name, type, offsetof(struct sbd_thresholds, name), NULL }
#define SBD_THRESHOLD_OF(name, choices)	\
	{ #name, SBD_CHOICE, offsetof(struct sbd_thresholds, name), choices }
#define SBD_THRESHOLDS							\
	SBD_THRESHOLD_OF(delay, sbd_delays),				\
	SBD_THRESHOLD(SBD_INT, interval_ms),				\
	SBD_THRESHOLD(SBD_INT, n),					\
	SBD_THRESHOLD(SBD_INT, m),					\
	SBD_THRESHOLD(SBD_OPTIONAL_INT, f),				\
	SBD_THRESHOLD(SBD_DOUBLE, c_s),					\
	SBD_THRESHOLD(SBD_DOUBLE, c_h),					\
	SBD_THRESHOLD(SBD_DOUBLE, p_f),					\
	SBD_THRESHOLD(SBD_DOUBLE, p_mad),				\
	SBD_THRESHOLD(SBD_DOUBLE, p_s),					\
	SBD_THRESHOLD(SBD_DOUBLE, p_d),					\
	SBD_THRESHOLD(SBD_DOUBLE, p_v),					\
	SBD_THRESHOLD(SBD_DOUBLE, p_l),					\
	SBD_THRESHOLD_OF(loss_difference, sbd_loss_differences),	\
	SBD_THRESHOLD_OF(loss_step, sbd_loss_steps),			\
	SBD_THRESHOLD_OF(loss_from, sbd_loss_froms),			\
	SBD_THRESHOLD(SBD_BOOL, bottleneck_test),			\
	SBD_THRESHOLD_OF(noise, sbd_noises),				\
	SBD_THRESHOLD_OF(frequency_over, sbd_frequencies_over)

/* A flow's statistics at the end of an interval, and whether it is deemed at a bottleneck. */
struct sbd_summary {
	double skew_est;
	double var_est;
	double freq_est;
	double pkt_loss;
	bool at_bottleneck;
};

struct sbd_flow;

/* First member of the state of each detector that makes something of the statistics. */
struct sbd_statistics {
	const struct sbd_thresholds *thresholds;
	struct sbd_opinions *said;
	void (*observe)(struct sbd_statistics *s, int64_t end_ns, const struct sbd_summary *flows);
	struct sbd_flow *flow;
	struct sbd_summary *summary;
	bool *missing;			/* flows that have not given a delay yet */
	unsigned int missing_size;
	int64_t interval_ns;
	int64_t end_ns;
};

bool sbd_thresholds_possible(const void *parameters);
uint32_t sbd_thresholds_wanted(const void *parameters);

/* 0 or -ENOMEM; what sbd_statistics_free() is to be called after in either case. */
int sbd_statistics_init(struct sbd_statistics *s, const struct sbd_thresholds *thresholds,
			struct sbd_opinions *said);
void sbd_statistics_free(struct sbd_statistics *s);
void sbd_statistics_on_event(void *state, const struct sbd_event *event);
void sbd_statistics_advance(void *state, int64_t time_ns);

/* Group flows by their statistics; those not at a bottleneck are each by themselves. */
void sbd_grouped(const struct sbd_thresholds *thresholds, const struct sbd_summary *flows,
		 unsigned int size, int *group);

#endif

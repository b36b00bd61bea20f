/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exported headers behind one interface: exported-model.c is compiled once for each of them, as
 * their C is not C++.
 */
#ifndef SMARTSBD_EXPORTED_MODEL_H
#define SMARTSBD_EXPORTED_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EXPORTED_SUBFLOWS	8
#define EXPORTED_NO_GROUP	255

/* A window that was judged, of two subflows by their numbers. */
struct exported_window {
	uint32_t subflow[2];
	uint64_t start_ns;
	uint64_t window_ns;
	int shared;
};

/* What became of the windows of all pairs, and how many calls were refused. */
struct exported_counts {
	uint64_t decided;
	uint64_t rejected;
	uint64_t missed;
	uint64_t refused;
};

enum exported_signal {
	EXPORTED_RTT,	/* us */
	EXPORTED_ACK,	/* bytes acknowledged so far */
	EXPORTED_STATE	/* congestion state, 0 to 4 */
};

struct exported_connection;

/* A model; the functions are those of smartsbd.h. */
struct exported_model {
	/*
	 * Begin with a connection, by a model file if the model has none of its own.
	 *
	 * @refusal: why the file is no model
	 *
	 * Returns NULL for a file that is no model, or without memory.
	 */
	struct exported_connection *(*create)(const uint8_t *bytes, uint32_t size,
					      const char **refusal);
	void (*destroy)(struct exported_connection *own);
	/* A subflow joins; its place, or -1. */
	int (*add)(struct exported_connection *own, uint32_t id);
	void (*take)(struct exported_connection *own, uint32_t place, uint64_t now_ns,
		     enum exported_signal kind, uint64_t value);
	/* Judge one window that is complete, if there is one; call again until it returns 0. */
	int (*decide)(struct exported_connection *own, uint64_t now_ns,
		      struct exported_window *window);
	/* Alike after the last signal, with what that leaves. */
	int (*finish)(struct exported_connection *own, uint64_t end_ns,
		      struct exported_window *window);
	/* A feature of the window judged last; its name, or NULL if the model does not take it. */
	const char *(*feature)(const struct exported_connection *own, uint32_t number,
			       int32_t *value);
	/* Group of each place, by the last verdict on each pair, or by most of its last three. */
	void (*groups)(struct exported_connection *own, int majority,
		       uint8_t group[EXPORTED_SUBFLOWS]);
	struct exported_counts (*count)(const struct exported_connection *own);
	uint32_t features;
};

extern const struct exported_model exported_loaded;

#ifdef __cplusplus
}
#endif

#endif

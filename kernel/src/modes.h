/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in force under sbd_smart: by the modes of a socket's cgroups, or of the host. */
#ifndef SBD_MODES_H
#define SBD_MODES_H

#include "controller.h"
#include "kernel.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct controller_state);
} state SEC(".maps");

/* By the number that a cgroup has in its file system. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CGROUPS);
	__type(key, __u64);
	__type(value, __u32);
} cgroup_modes SEC(".maps");

struct cgroup_path {
	__u64 id[CGROUP_LEVELS];	/* its own, its parent's and so on; 0: none */
};

static __always_inline struct controller_state *controller_state(void)
{
	__u32 first = 0;

	return bpf_map_lookup_elem(&state, &first);
}

static __noinline int read_cgroups(struct sock *sk, struct cgroup_path *path)
{
	struct cgroup *cgroup = BPF_CORE_READ(sk, sk_cgrp_data.cgroup);
	struct cgroup_subsys_state *parent;
	__u32 i;

	for (i = 0; i < CGROUP_LEVELS && cgroup; i++) {
		path->id[i] = BPF_CORE_READ(cgroup, kn, id);
		parent = BPF_CORE_READ(cgroup, self.parent);
		cgroup = parent ? BPF_CORE_READ(parent, cgroup) : NULL;
	}
	return 0;
}

/* The mode of the nearest cgroup that has one, else the host's. */
static __noinline int mode_in_force(const struct cgroup_path *path)
{
	struct controller_state *own = controller_state();
	__u32 i, *mode;
	__u64 id;

	if (!own)
		return MODE_AUTO;
	for (i = 0; own->cgroups && i < CGROUP_LEVELS; i++) {
		id = path->id[i];
		mode = id ? bpf_map_lookup_elem(&cgroup_modes, &id) : NULL;
		if (mode)
			return *mode;
	}
	return own->mode;
}

#endif

/*
 * The system's clock, set back by a day from when a file is there: for LD_PRELOAD. CLOCK_SET_BACK
 * names the file. Clocks that nobody can set stay as they are. libfaketime 0.9.10 shifts the times
 * of theirs that clock_nanosleep() waits for, too.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DAY_S (24 * 60 * 60)

static int set_back(void)
{
	const char *path = getenv("CLOCK_SET_BACK");

	return path && syscall(SYS_access, path, F_OK) == 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int failed = (int)syscall(SYS_clock_gettime, clock, now);

	if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) && set_back())
		now->tv_sec -= DAY_S;
	return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec exact;

	(void)zone;
	if (clock_gettime(CLOCK_REALTIME, &exact))
		return -1;
	now->tv_sec = exact.tv_sec;
	now->tv_usec = exact.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *result)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (result)
		*result = now.tv_sec;
	return now.tv_sec;
}

// SPDX-License-Identifier: MIT
/*
 * One end of a MPTCP connection:
 *   traffic receive ADDRESS PORT
 *   traffic send ADDRESS PORT SECONDS CONTROLLER
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static char bytes[1 << 16];

static void must(int fine, const char *what)
{
	if (fine)
		return;
	perror(what);
	exit(1);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Answer whatever comes with a byte, so that this end has samples too. */
static void take(int connection)
{
	while (recv(connection, bytes, sizeof(bytes), 0) > 0)
		if (send(connection, bytes, 1, MSG_NOSIGNAL) < 0)
			break;
	close(connection);
}

static void give(int connection, double seconds)
{
	struct linger reset = { .l_onoff = 1 };
	double until_s = now_s() + seconds;

	while (now_s() < until_s) {
		must(send(connection, bytes, sizeof(bytes), 0) >= 0 || errno == EAGAIN, "send");
		while (recv(connection, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
			;
	}
	/* What waits in the buffer is not sent any more. */
	must(!setsockopt(connection, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), "SO_LINGER");
	close(connection);
}

int main(int count, char **words)
{
	struct timeval longest = { .tv_sec = 1 };
	struct sockaddr_in end = { .sin_family = AF_INET };
	int own = socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP);

	must(own >= 0, "socket");
	if (count < 4)
		return 2;
	end.sin_addr.s_addr = inet_addr(words[2]);
	end.sin_port = htons(atoi(words[3]));
	if (!strcmp(words[1], "receive")) {
		must(!bind(own, (struct sockaddr *)&end, sizeof(end)), "bind");
		must(!listen(own, 1), "listen");
		for (;;)
			take(accept(own, NULL, NULL));
	}
	if (count < 6)
		return 2;
	must(!setsockopt(own, IPPROTO_TCP, TCP_CONGESTION, words[5], strlen(words[5])), "TCP_CONGESTION");
	must(!setsockopt(own, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof(longest)), "SO_SNDTIMEO");
	must(!connect(own, (struct sockaddr *)&end, sizeof(end)), "connect");
	give(own, atof(words[4]));
	return 0;
}

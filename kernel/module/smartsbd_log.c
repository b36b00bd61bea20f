// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reno that logs what it sees of each MPTCP subflow.
 *
 * One line of the kernel log is one event of one subflow:
 *
 *   smartsbd: <ns> C=<token> SF=<n> V=<RTT|ACK|CA|LOSS> <value>
 *
 * The hooks run with the subflow's socket locked, in softirq or in the context
 * of the process that owns the socket: the lines of a subflow are in order,
 * those of different subflows need not be.
 */

#define pr_fmt(fmt) "smartsbd: " fmt

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/version.h>
#include <net/mptcp.h>
#include <net/tcp.h>

#include "protocol.h"	/* net/mptcp, private to the kernel tree */

#if !IS_ENABLED(CONFIG_MPTCP)
#error "This kernel is configured without CONFIG_MPTCP."
#endif

/*
 * No symbol version covers the private header: with that of another kernel,
 * fields would be read from the wrong places.
 */
#if SMARTSBD_KSRC_VERSION != LINUX_VERSION_CODE
#error "KSRC is not the source of the kernel that KDIR builds for."
#endif

#define SMARTSBD_MAX_NUMBER	9999

static bool log_tcp;
module_param(log_tcp, bool, 0644);
MODULE_PARM_DESC(log_tcp, "Log plain TCP sockets too, with token 0 (default: N)");

/**
 * struct smartsbd - what is kept of a socket
 * @bytes_acked: value of the last ACK line
 * @number: the module's own number of the socket, 0 if it has none yet
 * @has_begun: whether the state the socket began in is logged
 */
struct smartsbd {
	u64	bytes_acked;
	u32	number;
	bool	has_begun;
};

/**
 * struct smartsbd_name - what names a subflow in the log
 * @token: of the MPTCP connection, on this host; 0 for plain TCP
 * @number: of the subflow in its connection
 */
struct smartsbd_name {
	u32	token;
	u32	number;
};

static void smartsbd_print(u64 now, const struct smartsbd_name *name,
			   const char *kind, u64 value)
{
	pr_info("%llu C=%x SF=%u V=%s %llu\n",
		now, name->token, name->number, kind, value);
}

/*
 * Number of a socket that the kernel does not number. It is given again after
 * SMARTSBD_MAX_NUMBER others, of whatever connection.
 */
static u32 smartsbd_own_number(struct sock *sk)
{
	static atomic_t given = ATOMIC_INIT(0);
	struct smartsbd *ca = inet_csk_ca(sk);

	if (!ca->number)
		ca->number = (u32)atomic_fetch_inc(&given) %
			     SMARTSBD_MAX_NUMBER + 1;
	return ca->number;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
/*
 * A subflow that the peer joined gets its id on being attached to the
 * connection. That can be after its first ACKs, and is done under the lock of
 * the MPTCP socket only. Ids of joined subflows are never 0.
 */
static bool smartsbd_number(struct sock *sk,
			    const struct mptcp_subflow_context *subflow,
			    u32 *number)
{
	*number = READ_ONCE(subflow->subflow_id);
	return *number || !subflow->mp_join;
}
#else
/*
 * Without subflow ids. The local address id does not do: subflows from one
 * address to two of the peer's share it.
 */
static bool smartsbd_number(struct sock *sk,
			    const struct mptcp_subflow_context *subflow,
			    u32 *number)
{
	*number = smartsbd_own_number(sk);
	return true;
}
#endif

/**
 * smartsbd_name() - name a socket
 * @sk: socket, locked
 * @name: where to put the name
 *
 * Neither subflow->conn nor the MPTCP socket is touched. The token is in the
 * subflow's context too, from before its first segment, whichever side opened
 * it; and it stays there after the MPTCP socket has dropped its own on closing.
 * The context lives until the socket is destroyed, which is after the last
 * call into congestion control.
 *
 * Return: whether the socket is to be logged.
 */
static bool smartsbd_name(struct sock *sk, struct smartsbd_name *name)
{
	const struct mptcp_subflow_context *subflow;

	if (!sk_is_mptcp(sk)) {
		if (!READ_ONCE(log_tcp))
			return false;
		name->token = 0;
		name->number = smartsbd_own_number(sk);
		return true;
	}

	subflow = mptcp_subflow_ctx(sk);
	if (!subflow)
		return false;
	if (subflow->tcp_sock != sk) {
		pr_warn_once("built with net/mptcp/protocol.h of another kernel\n");
		return false;
	}
	name->token = subflow->token;
	return name->token && smartsbd_number(sk, subflow, &name->number);
}

/* Log the state the socket is in, unless that has been done. */
static void smartsbd_begin(struct sock *sk, u64 now, const struct smartsbd_name *name)
{
	struct smartsbd *ca = inet_csk_ca(sk);

	if (ca->has_begun)
		return;
	ca->has_begun = true;
	smartsbd_print(now, name, "CA", inet_csk(sk)->icsk_ca_state);
}

static void smartsbd_init(struct sock *sk)
{
	struct smartsbd_name name;

	if (smartsbd_name(sk, &name))
		smartsbd_begin(sk, ktime_get_ns(), &name);
}

static void smartsbd_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct smartsbd *ca = inet_csk_ca(sk);
	struct smartsbd_name name;
	u64 now;

	/* The ACK of a SYN comes before init. */
	if (!inet_csk(sk)->icsk_ca_initialized || !smartsbd_name(sk, &name))
		return;

	now = ktime_get_ns();
	smartsbd_begin(sk, now, &name);
	if (tp->bytes_acked != ca->bytes_acked) {
		ca->bytes_acked = tp->bytes_acked;
		smartsbd_print(now, &name, "ACK", tp->bytes_acked);
	}
	if (sample->rtt_us > 0)
		smartsbd_print(now, &name, "RTT", sample->rtt_us);
}

/*
 * Segments are marked lost before the state is set: by tcp_enter_loss() and
 * tcp_simple_retransmit() for Loss; for Recovery by RACK, or without SACK by
 * tcp_newreno_mark_lost(). With SACK but without RACK, which older kernels
 * allow, tcp_update_scoreboard() marks them only after that.
 */
static bool smartsbd_lost_is_marked(const struct sock *sk, u8 new_state)
{
	u8 recovery = READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_recovery);

	if (new_state == TCP_CA_Recovery)
		return tcp_is_reno(tcp_sk(sk)) ||
		       recovery & TCP_RACK_LOSS_DETECTION;
	return new_state == TCP_CA_Loss;
}

/*
 * Called before the state changes; called again for each further timeout in
 * Loss, where segments marked before would be counted again.
 */
static void smartsbd_set_state(struct sock *sk, u8 new_state)
{
	const struct inet_connection_sock *icsk = inet_csk(sk);
	const struct tcp_sock *tp = tcp_sk(sk);
	struct smartsbd *ca = inet_csk_ca(sk);
	struct smartsbd_name name;
	u64 now;

	/* Not if cloned, connecting or being disconnected. */
	if (!icsk->icsk_ca_initialized || !smartsbd_name(sk, &name))
		return;

	now = ktime_get_ns();
	ca->has_begun = true;
	smartsbd_print(now, &name, "CA", new_state);
	if (icsk->icsk_ca_state != new_state && tp->lost_out &&
	    smartsbd_lost_is_marked(sk, new_state))
		smartsbd_print(now, &name, "LOSS", tp->lost_out);
}

static struct tcp_congestion_ops smartsbd_ops __read_mostly = {
	.init		= smartsbd_init,
	.ssthresh	= tcp_reno_ssthresh,
	.cong_avoid	= tcp_reno_cong_avoid,
	.undo_cwnd	= tcp_reno_undo_cwnd,
	.set_state	= smartsbd_set_state,
	.pkts_acked	= smartsbd_pkts_acked,
	.owner		= THIS_MODULE,
	.name		= "smartsbd_log",
};

static int __init smartsbd_register(void)
{
	BUILD_BUG_ON(sizeof(struct smartsbd) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&smartsbd_ops);
}

static void __exit smartsbd_unregister(void)
{
	tcp_unregister_congestion_control(&smartsbd_ops);
}

module_init(smartsbd_register);
module_exit(smartsbd_unregister);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("TCP Reno that logs RTT, ACKs, states and losses of MPTCP subflows");

#!/bin/sh
# SPDX-License-Identifier: MIT
# Sample TCP's sockets with ss, each sample after a line with its time, for sbd detect.
#
#   sh sample-ss.sh [-i SECONDS] [-d SECONDS] [FILTER] > ss.log
#
# -i  from one sample to the next (0.02); ss itself comes on top
# -d  how long (60); Ctrl-C ends it earlier
# FILTER  of ss, such as: dst 192.0.2.1   or: dport = :443

set -eu

usage() {
	echo "usage: sh sample-ss.sh [-i SECONDS] [-d SECONDS] [FILTER]" >&2
	exit 2
}

interval_s=0.02
duration_s=60
while getopts i:d: option; do
	case $option in
	i) interval_s=$OPTARG ;;
	d) duration_s=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
case $duration_s in
*[!0-9]* | "") usage ;;
esac

# The date of busybox does not know %N; the time since the start of the system goes to hundredths.
clock="date +%s.%N"
case $(date +%N) in
*[!0-9]* | "")
	clock="cat /proc/uptime"
	if ! $clock >/dev/null 2>&1; then
		echo "sample-ss.sh: this date does not know %N; install that of GNU coreutils" >&2
		exit 1
	fi
	;;
esac

# ss of iproute2 6.7 prints no RTTs without -p, which looks through all programs and takes longer.
options=
trap 'exit 0' INT TERM
end_s=$(($(date +%s) + duration_s))
while [ "$(date +%s)" -lt "$end_s" ]; do
	$clock
	if [ -n "$options" ]; then
		ss $options "$@"
	else
		sample=$(ss -tinO "$@")
		case $sample in
		*cwnd:*) options=-tinO ;;
		*[0-9]:[0-9]*)
			sample=$(ss -tinOp "$@")
			case $sample in
			*cwnd:*) options=-tinOp ;;
			esac
			;;
		esac
		printf '%s\n' "$sample"
	fi
	sleep "$interval_s"
done

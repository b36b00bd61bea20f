"""What people have at hand that no parser reads, and the words by which it is named."""

from __future__ import annotations

import gzip
import io
import tarfile


def _tar() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("a.pcap")
        member.size = 4
        archive.addfile(member, io.BytesIO(b"abcd"))
    return packed.getvalue()


#: Of each kind: content, what it is said to look like, and a word of what is to be given in its place.
TEXTS: dict[str, tuple[str, str, str]] = {
    # Of the reports that are named beside them: the first lines, with other addresses.
    "tcpdump": (  # multipath-tcp/mptcp_net-next 63
        "12:02:25.985960 IP 10.0.1.2.8000 > 10.0.1.1.59574: Flags [.], ack 78, win 509, options [nop,nop,TS val "
        "5 ecr 2]\n"
        "12:02:25.986311 IP 10.0.2.1.46531 > 10.0.2.2.0: Flags [S], seq 1204877313, win 64240, options [mss 1460]\n",
        "the text of tcpdump",
        "tcpdump -i any -s 128 -w",
    ),
    "tcpdump -i any -n -tttt": (
        "2024-01-02 12:02:25.985960 wlan0 Out IP 10.0.1.2.8000 > 10.0.1.1.59574: Flags [P.], seq 1:9, ack 78, "
        "length 8\n"
        "2024-01-02 12:02:25.985990 wlan0 In  IP6 2001:db8::1.443 > 2001:db8::2.59574: UDP, length 1200\n",
        "the text of tcpdump",
        "tcpdump",
    ),
    "tcpdump -v": (
        "12:02:25.985960 IP (tos 0x0, ttl 64, id 5, offset 0, flags [DF], proto TCP (6), length 60)\n"
        "    10.0.1.2.8000 > 10.0.1.1.59574: Flags [S], cksum 0x1 (correct), seq 5, win 64240, length 0\n",
        "the text of tcpdump",
        "tcpdump",
    ),
    "tcpdump -e -tt": (
        "1700000000.125 02:00:00:00:00:01 > 02:00:00:00:00:02, ethertype IPv4 (0x0800), length 74: 10.0.0.1.5 > "
        "10.0.0.2.9:"
        " Flags [S], seq 5\n",
        "the text of tcpdump",
        "tcpdump",
    ),
    "tcpdump of long ago": (
        "10:00:00.1 IP 10.0.0.1.5001 > 10.0.0.2.40000: S 1204877313:1204877313(0) win 64240 <mss 1460>\n",
        "the text of tcpdump",
        "tcpdump",
    ),
    "tcpdump's messages": (
        "tcpdump: data link type LINUX_SLL2\ntcpdump: verbose output suppressed, use -v for full protocol decode\n"
        "listening on any, link-type LINUX_SLL2 (Linux cooked v2), snapshot length 128 bytes\n"
        "12 packets captured\n",
        "what tcpdump prints beside its packets",
        "-w capture.pcap",
    ),
    "tshark": (  # multipath-tcp/mptcp 87
        "139 2015-07-13 03:04:12.389544000   10.0.0.1    192.0.2.1 TCP 88      Multipath Capable   37253 > rfe "
        "[SYN] Seq=0\n"
        "140 2015-07-13 03:04:12.423282000   192.0.2.1 10.0.0.1    TCP 88      Multipath Capable   rfe > 37253 "
        "[SYN, ACK]\n",
        "the text of tshark",
        "capture.pcap",
    ),
    "tshark of today": (
        "    1 0.000000000     10.0.0.1 → 10.0.0.2     TCP 74 45678 → 80 [SYN] Seq=0 Win=64240 Len=0 MSS=1460\n"
        "    2 0.024511000     10.0.0.2 → 10.0.0.1     MPTCP 74 80 → 45678 [SYN, ACK] Seq=0 Ack=1 Win=65160\n",
        "the text of tshark",
        "capture.pcap",
    ),
    "tshark -V": (
        "Frame 1: 74 bytes on wire (592 bits), 74 bytes captured (592 bits) on interface wlan0, id 0\n"
        "    Section number: 1\nEthernet II, Src: 02:00:00:00:00:01, Dst: 02:00:00:00:00:02\n",
        "the text of tshark",
        "capture.pcap",
    ),
    "Wireshark's CSV": (  # multipath-tcp/mptcp_net-next 569
        '"No.","Time","Source","Destination","Protocol","Length","Info"\n'
        '"1","0.000000","10.0.0.1","192.0.2.1","TCP","74","45678  >  80 [SYN] Seq=0 Win=64240 Len=0"\n',
        "Wireshark's CSV export",
        "tcp.analysis.ack_rtt",
    ),
    "Wireshark's text": (
        "No.     Time           Source                Destination           Protocol Length Info\n"
        "      1 0.000000       10.0.0.1              192.0.2.1             TCP      74     45678 → 80 [SYN] Seq=0\n",
        "the text of tshark or Wireshark",
        "capture.pcap",
    ),
    "tshark -T json": (  # KimiNewt/pyshark 743
        '[ { "_index": "packets-2025-10-22", "_source": { "layers": { "frame": { "frame.number": "1" } } } } ]',
        "tshark's JSON",
        "capture.pcap",
    ),
    "tshark -T ek": (
        '{"timestamp":"1700000000000","layers":{"frame":{"frame_frame_time_epoch":"2025-10-22T02:20:33Z"}}}\n',
        "tshark's JSON",
        "capture.pcap",
    ),
    "tshark -T pdml": (
        '<?xml version="1.0"?>\n<?xml-stylesheet type="text/xsl"?>\n<pdml version="0">',
        "tshark's XML",
        "",
    ),
    "iperf3": (  # multipath-tcp/mptcp 173
        "[ ID] Interval           Transfer     Bandwidth       Retr  Cwnd\n"
        "[  4]   0.00-1.00   sec   154 MBytes  1.28 Gbits/sec   14    522 KBytes\n",
        "the text of iperf",
        "iperf3 -J -i 0.1",
    ),
    "iperf3 of two streams": (
        "Connecting to host 192.0.2.1, port 5201\n[  5] local 10.0.0.1 port 40000 connected to 192.0.2.1 port 5201\n"
        "[  5][TX-C]   0.00-1.00   sec   154 MBytes  1.28 Gbits/sec   14    522 KBytes\n"
        "[SUM]   0.00-1.00   sec   308 MBytes  2.56 Gbits/sec   14\n- - - - - - - - - - - - -\n\niperf Done.\n",
        "the text of iperf",
        "iperf3 -J -i 0.1",
    ),
    "iperf 2": (
        "------------------------------------------------------------\nClient connecting to 192.0.2.1, TCP port 5001\n"
        "[  3] local 10.0.0.1 port 40000 connected with 192.0.2.1 port 5001\n[ ID] Interval       Transfer     "
        "Bandwidth\n"
        "[  3]  0.0-10.0 sec  1.10 GBytes   944 Mbits/sec\n",
        "the text of iperf",
        "iperf3 -J -i 0.1",
    ),
    "ip mptcp monitor": (  # multipath-tcp/mptcp_net-next 592
        "[         CREATED] token=b7239a84 remid=0 locid=0 saddr6=2001:db8::1 daddr6=2001:db8::2 sport=5201 "
        "dport=49253\n"
        "[  SF_ESTABLISHED] token=b7239a84 remid=2 locid=2 saddr6=2001:db8:1::1 daddr6=2001:db8:1::2 backup=0\n",
        "the text of ip mptcp monitor",
        "sample-ss.sh",
    ),
    "ip mptcp endpoint": (
        "10.0.1.1 id 1 subflow dev wlan0 \n10.0.2.1 id 2 signal dev wwan0 \n",
        "the text of ip mptcp",
        "ss",
    ),
    "/proc/net/mptcp": (  # multipath-tcp/mptcp 452
        "  sl  loc_tok  rem_tok  v6 local_address                         remote_address                        st ns\n"
        "   0: 62D45125 6DFD62D  0 0100000A:58CD                         010200C0:FE4D                         01 04\n",
        "a table of sockets in /proc/net",
        "sample-ss.sh",
    ),
    "/proc/net/tcp": (
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        "   0: 0100007F:0277 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1\n",
        "a table of sockets in /proc/net",
        "sample-ss.sh",
    ),
    "dmesg of MPTCP": (  # multipath-tcp/mptcp 238
        "[ 6517.512446] net/mptcp/mptcp_ctrl.c: mptcp_alloc_mpcb: created mpcb with token 0xc80e66bb\n"
        "[ 6517.512514] net/mptcp/mptcp_ctrl.c: mptcp_add_sock: token 0xc80e66bb pi 1, src_addr:10.0.0.1:45317\n",
        "the kernel's debug text of Multipath TCP",
        "sbd record",
    ),
    "pr_debug of MPTCP": (
        "[   46.250932] MPTCP: DSS\n[   46.250948] MPTCP: data_ack=2344892449471675613\n",
        "the kernel's debug text of Multipath TCP",
        "sbd record",
    ),
    "dmesg": (
        "[    0.000000] Linux version 6.12.0\n[    5.235159] usb 1-1: new high-speed USB device\n",
        "a log of a kernel or system",
        "sbd record",
    ),
    "syslog": (
        "Apr 15 15:19:04 router dnsmasq[55]: started\nApr 15 15:19:05 router kernel: up\n",
        "a log of a kernel",
        "",
    ),
    "logread": ("Sun Oct  4 07:00:21 2020 kern.err kernel: [  750.437765] eth0: link up\n", "a log of a kernel", ""),
    "journalctl -o json": (
        '{"__CURSOR":"s=1","MESSAGE":"usb 1-1: new","PRIORITY":"6"}\n',
        "a journal without",
        "sbd record",
    ),
    "nstat": (  # Ysurac/openmptcprouter 4076
        "#kernel\nMPTcpExtMPCapableSYNTX          12                 0.0\nTcpRetransSegs                  9     "
        "   0.0\n",
        "counters of the kernel",
        "sample-ss.sh",
    ),
    "netstat -s": (
        "Ip:\n    Forwarding: 1\n    5588 total packets received\nTcp:\n    2 active openings\n",
        "counters",
        "",
    ),
    "/proc/net/netstat": ("TcpExt: SyncookiesSent SyncookiesRecv\nTcpExt: 0 0\n", "counters", ""),
    "netstat": (
        "Active Internet connections (w/o servers)\nProto Recv-Q Send-Q Local Address           Foreign Address "
        "        State\n"
        "tcp        0     36 172.23.245.7:22         172.30.16.162:60490     ESTABLISHED\n",
        "a list of sockets without RTTs",
        "sample-ss.sh",
    ),
    "ss -s": (
        "Total: 17\nTCP:   1 (estab 0, closed 0, orphaned 0, timewait 0)\n",
        "a list of sockets without RTTs",
        "",
    ),
    "ss without a socket": (
        "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n",
        "a list of sockets",
        "",
    ),
    "tcprtt": (  # iovisor/bcc 3068
        "Tracing TCP RTT... Hit Ctrl-C to end.\n     msecs               : count     distribution\n"
        "         0 -> 1          : 4        |                                        |\n",
        "a histogram of BPF tools",
        "sample-ss.sh",
    ),
    "bpftrace": ("@usecs:\n[256, 512)             1 |@@@@@                |\n[512, 1K)  9 |@@|\n", "a histogram", ""),
    "mtr": (
        "Start: 2024-01-02T12:00:00+0000\nHOST: laptop              Loss%   Snt   Last   Avg  Best  Wrst StDev\n"
        "  1.|-- 192.0.2.1          0.0%    10    1.2   1.3   1.1   1.9   0.2\n",
        "the text of mtr",
        "ping each path",
    ),
    "traceroute": (
        "traceroute to 192.0.2.1 (192.0.2.1), 30 hops max, 60 byte packets\n 1  router (10.0.0.1)  0.8 ms  0.4 "
        "ms  0.3 ms\n",
        "the text of traceroute",
        "ping each path",
    ),
    "a summary of ping": (
        "39 packets transmitted, 39 received, 0% packet loss, time 38ms\n",
        "the summary of ping",
        "echo",
    ),
    "fping": ("192.0.2.1 : [0], 64 bytes, 0.131 ms (0.131 avg, 0% loss)\n", "the text of fping without times", "-D -l"),
    "irtt": (
        "[Connecting] connecting to 192.0.2.1:2112\nseq=0 rtt=206µs rd=114µs sd=92µs ipdv=n/a\nseq=1 rtt=5.1ms "
        "rd=1µs\n",
        "the text of irtt",
        "irtt client -o FILE.json",
    ),
    "RIPE Atlas": (
        '[{"fw":5080,"dst_addr":"192.0.2.1","result":[{"rtt":12.5}],"msm_id":1,"prb_id":2,"timestamp":1700000000}]',
        "results of RIPE Atlas",
        "ping each path",
    ),
    "Flent": (
        '{"metadata": {}, "raw_values": {}, "results": {}, "x_values": [0.0]}',
        "data of Flent",
        "time_s,path,rtt_ms",
    ),
    "a speed test": (
        "Retrieving speedtest.net configuration...\nDownload: 94.10 Mbit/s\n",
        "the text of a speed test",
        "",
    ),
    "curl": (
        "  % Total    % Received % Xferd  Average Speed   Time\n100 12813  100 12813\n",
        "the progress of curl",
        "",
    ),
    "tc": ("qdisc netem 8001: dev wlan0 root refcnt 2 limit 1000 delay 10ms\n", "the text of tc", ""),
    "ip addr": (
        "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue\n    inet 127.0.0.1/8 scope host lo\n",
        "links",
        "",
    ),
    "ip route": ("default via 10.0.0.1 dev wlan0 proto dhcp metric 600\n", "a list of links, addresses or routes", ""),
    "tcptrace": (
        "1 arg remaining, starting with 'a.pcap'\n264 packets seen, 264 TCP packets traced\n",
        "tcptrace",
        "capture.pcap",
    ),
    "xplot": ("timeval unsigned\ntitle\nRTT samples\n", "a plot of xplot", "time_s,path,rtt_ms"),
    "gnuplot": ('plot "-" title "RTT 0", "-" title "RTT 1"\n', "a plot of xplot or gnuplot", "time_s,path,rtt_ms"),
    "ns-3's series": ("1.5996e-05 0\n0.02 24.5\n", "numbers without the names of their columns", "time_s,path,rtt_ms"),
    "keys": ("CLIENT_RANDOM 0123456789abcdef0123456789abcdef 00\n", "keys of TLS", "secret"),
    "Zeek": ("#separator \\x09\n#fields\tts\tuid\n", "a log of Zeek", "capture.pcap"),
    "a pointer": (
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n",
        "a pointer of Git LFS",
        "git lfs pull",
    ),
    "a page": ("<!DOCTYPE html>\n<html><body>404</body></html>", "a page of the web", "download"),
    "an error": ("bash: ss: command not found\n", "the error of a command", "run it again"),
    "a refusal": ("tcpdump: wlan0: You don't have permission to capture on that device\n", "what tcpdump prints", ""),
    "sbd detect": ("a.pcap: a#0, by common-lag\n  subflows 0 and 1: no verdict\n", "what sbd itself says", "the input"),
    "sbd detect --json": (
        '{"input": "a", "connection_id": "a#0", "subflow_a": 0}\n',
        "what sbd itself says",
        "the input",
    ),
    "a dump": ("00000000: d4c3 b2a1 0200 0400 0000 0000 0000 0000  ................\n", "a dump of bytes", "text2pcap"),
    "a table": ("when,where,what\n1,2,3\n4,5,6\n", "a table with the columns when, where, what", "time_s,path,rtt_ms"),
}
BINARIES: dict[str, tuple[bytes, str, str]] = {
    "tar": (_tar(), "a tar archive", "tar xf"),
    "tar.gz in gzip": (gzip.compress(_tar(), mtime=0), "a packed file in a packed file", "unpack it once"),
    "7z": (b"7z\xbc\xaf\x27\x1c\x00\x04", "a 7z archive", "unpack it"),
    "rar": (b"Rar!\x1a\x07\x01\x00", "a rar archive", "unpack it"),
    "lz4": (b"\x04\x22\x4d\x18\x64\x40\xa7", "a file packed by lz4", "lz4 -d"),
    "compress": (b"\x1f\x9d\x90abc", "a file packed by compress", "gzip -d"),
    "snoop": (b"snoop\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x04", "a capture of snoop", "editcap"),
    "NetMon": (b"GMBU\x00\x02\x01\x00", "a capture of Microsoft's Network Monitor", "editcap"),
    "trace-cmd": (b"\x17\x08\x44tracing6\x00", "trace.dat", "trace-cmd report"),
    "perf": (b"PERFILE2h\x00\x00\x00", "perf.data", "perf script"),
    "journal": (b"LPKSHHRH\x00\x00", "a journal of systemd", "journalctl"),
    "PNG": (b"\x89PNG\r\n\x1a\n\x00\x00", "an image", "not its picture"),
    "SQLite": (b"SQLite format 3\x00\x10\x00", "a database of SQLite", "time_s,path,rtt_ms"),
    "UTF-16": ("64 bytes\r\n".encode("utf-16"), "text in UTF-16", "UTF-8"),
    "UTF-16 without a mark": ("twelve chars".encode("utf-16-le"), "text in UTF-16", "UTF-8"),
    "zeros": (bytes(5000), "zeros alone", "give it again"),
}
#: All of them, as bytes.
CONTENTS: dict[str, tuple[bytes, str, str]] = {
    **{name: (text.encode(), what, instead) for name, (text, what, instead) in TEXTS.items()},
    **BINARIES,
}

"""Names of link types, for those that captures may have and that are not read.

References
----------
The list of LINKTYPE_ numbers of draft-ietf-opsawg-pcaplinktype.
"""

from __future__ import annotations

#: Of a link type without a name; which it is, is the record's detail.
UNKNOWN = "unknown link type"

_NAMES = {
    **{3: "AX25", 6: "IEEE802_5", 7: "ARCNET_BSD", 8: "SLIP", 10: "FDDI", 107: "FRELAY", 114: "LTALK"},
    **{122: "IP_OVER_FC", 123: "SUNATM", 129: "ARCNET_LINUX", 139: "MTP2_WITH_PHDR", 140: "MTP2", 141: "MTP3"},
    **{142: "SCCP", 143: "DOCSIS", 144: "LINUX_IRDA"},
    **{147 + number: f"USER{number}" for number in range(16)},
    **{165: "BACNET_MS_TP", 169: "GPRS_LLC", 170: "GPF_T", 171: "GPF_F", 177: "LINUX_LAPD", 182: "MFR"},
    **{187: "BLUETOOTH_HCI_H4", 189: "USB_LINUX", 195: "IEEE802_15_4_WITHFCS", 196: "SITA", 197: "ERF"},
    **{201: "BLUETOOTH_HCI_H4_WITH_PHDR", 202: "AX25_KISS", 203: "LAPD", 206: "FRELAY_WITH_DIR"},
    **{207: "LAPB_WITH_DIR", 209: "I2C_LINUX", 215: "IEEE802_15_4_NONASK_PHY", 220: "USB_LINUX_MMAPPED", 224: "FC_2"},
    **{225: "FC_2_WITH_FRAME_DELIMS", 227: "CAN_SOCKETCAN", 230: "IEEE802_15_4_NOFCS", 231: "DBUS", 235: "DVB_CI"},
    **{236: "MUX27010", 237: "STANAG_5066_D_PDU", 240: "NETANALYZER", 241: "NETANALYZER_TRANSPARENT", 242: "IPOIB"},
    **{243: "MPEG_2_TS", 244: "NG40", 245: "NFC_LLCP", 247: "INFINIBAND", 248: "SCTP", 249: "USBPCAP"},
    **{250: "RTAC_SERIAL", 251: "BLUETOOTH_LE_LL", 253: "NETLINK", 254: "BLUETOOTH_LINUX_MONITOR"},
    **{255: "BLUETOOTH_BREDR_BB", 256: "BLUETOOTH_LE_LL_WITH_PHDR", 257: "PROFIBUS_DL", 259: "EPON"},
    **{260: "IPMI_HPM_2", 261: "ZWAVE_R1_R2", 262: "ZWAVE_R3", 263: "WATTSTOPPER_DLM", 264: "ISO_14443", 265: "RDS"},
    **{266: "USB_DARWIN", 268: "SDLC", 270: "LORATAP", 271: "VSOCK", 272: "NORDIC_BLE", 273: "DOCSIS31_XRA31"},
    **{274: "ETHERNET_MPACKET", 275: "DISPLAYPORT_AUX", 278: "OPENVIZSLA", 279: "EBHSCR", 280: "VPP_DISPATCH"},
    **{283: "IEEE802_15_4_TAP", 286: "ELEE", 287: "Z_WAVE_SERIAL", 288: "USB_2_0", 289: "ATSC_ALP", 290: "ETW"},
}


def not_read(link: int) -> str:
    """Return the reason why a record of a link type is refused.

    Parameters
    ----------
    link : int
        That no function of native/packets/src/link.cc reads.

    Returns
    -------
    str
        With number and name, if it has a name: there may be any number of others.

    Examples
    --------
    >>> not_read(195), not_read(4711)
    ('link type 195 (IEEE802_15_4_WITHFCS) is not read', 'unknown link type')
    """
    return f"link type {link} ({_NAMES[link]}) is not read" if link in _NAMES else UNKNOWN

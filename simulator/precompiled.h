/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What nearly every source includes. Sources include what they need all the same: this only saves
 * the compiler from reading it for each of them.
 */
#ifndef SMARTSBD_PRECOMPILED_H
#define SMARTSBD_PRECOMPILED_H

#include "ns3/ipv4-header.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#endif

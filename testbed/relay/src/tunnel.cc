// SPDX-License-Identifier: MIT

#include "tunnel.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

namespace relay
{

namespace
{

constexpr char TUN[] = "/dev/net/tun";

[[noreturn]] void
Fail(const std::string& what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

Tunnel::Tunnel(const HostPlan& host)
{
    const int netns = open(host.netns.c_str(), O_RDONLY | O_CLOEXEC);
    if (netns < 0)
    {
        Fail(host.netns);
    }
    const bool entered = setns(netns, CLONE_NEWNET) == 0;
    close(netns);
    if (!entered)
    {
        Fail(host.netns);
    }
    m_file = open(TUN, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (m_file < 0)
    {
        Fail(TUN);
    }
    ifreq request{};
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    host.device.copy(request.ifr_name, sizeof request.ifr_name - 1);
    if (ioctl(m_file, TUNSETIFF, &request) < 0)
    {
        const int error = errno;
        close(m_file);
        errno = error;
        Fail(host.device);
    }
}

Tunnel::~Tunnel()
{
    close(m_file);
}

int
Tunnel::GetFile() const
{
    return m_file;
}

uint32_t
Tunnel::Read(uint8_t* data, uint32_t room) const
{
    return static_cast<uint32_t>(std::max<ssize_t>(read(m_file, data, room), 0));
}

bool
Tunnel::Write(const uint8_t* data, uint32_t bytes) const
{
    return write(m_file, data, bytes) == static_cast<ssize_t>(bytes);
}

} // namespace relay

import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension SocketAddress {
    /// The name under which a client's requests and connections are limited: its IPv4 address, or the first half of its
    /// IPv6 address; `nil` if the client has no IP address.
    ///
    /// Whoever has an IPv6 address usually has all addresses with the same first half.
    var limitedAddress: String? {
        guard case .v6 = self, let ipAddress else { return ipAddress }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, ipAddress, &bytes) == 1 else { return ipAddress }
        // A listener of both versions sees the IPv4 address a.b.c.d as ::ffff:a.b.c.d.
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff {
            return bytes[12...].map { String($0) }.joined(separator: ".")
        }
        return bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":")
    }
}

import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why a server cannot listen at an address, as far as the system says so.
package enum ListeningFault: Equatable, Sendable {
    /// Another program listens there.
    case portInUse
    /// Ports below 1024 need a permission.
    case notPermitted
    /// No network interface of this machine has the address.
    case foreignAddress
    /// The name has no address.
    case unknownHost

    /// Recognises what the network library throws; `nil` for any other error.
    package init?(_ error: any Error) {
        if error is SocketAddressError.UnknownHost {
            self = .unknownHost
            return
        }
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE: self = .portInUse
        case EACCES, EPERM: self = .notPermitted
        // The latter is an IPv6 address of one link that does not say which.
        case EADDRNOTAVAIL, EINVAL: self = .foreignAddress
        default: return nil
        }
    }
}

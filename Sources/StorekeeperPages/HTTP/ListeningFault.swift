import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The reason why a server cannot listen at an address, as the system reports it.
package enum ListeningFault: Equatable, Sendable {
    /// Another program listens at the port.
    case portInUse
    /// The port is below 1024 and the process lacks the permission.
    case notPermitted
    /// No network interface of this machine has the address.
    case foreignAddress
    /// The name cannot be resolved.
    case unknownHost

    /// Recognizes an error of the network library; `nil` for any other error.
    package init?(_ error: any Error) {
        if error is SocketAddressError.UnknownHost {
            self = .unknownHost
            return
        }
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE: self = .portInUse
        case EACCES, EPERM: self = .notPermitted
        // The system reports `EINVAL` for a link-local IPv6 address without an interface.
        case EADDRNOTAVAIL, EINVAL: self = .foreignAddress
        default: return nil
        }
    }
}

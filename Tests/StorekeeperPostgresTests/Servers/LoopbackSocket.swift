import Foundation

/// A loopback socket for a proxy of the tests.
final class LoopbackSocket: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    private init(_ address: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ServerFailure("no socket is left") }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(port).bigEndian
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                address(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            Foundation.close(descriptor)
            throw ServerFailure("the port \(port) is not available")
        }
    }

    /// Listens for connections on a port; 0 selects a free port.
    convenience init(listeningOn port: Int) throws {
        try self.init({ bind($0, $1, $2) == 0 && listen($0, 64) == 0 ? 0 : -1 }, port)
    }

    /// Connects to a server.
    convenience init(connectingTo port: Int) throws { try self.init({ connect($0, $1, $2) }, port) }

    /// The local port.
    var port: Int {
        var place = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(in_port_t(bigEndian: place.sin_port))
    }

    /// Waits for the next connection and returns it; `nil` after the socket was ended.
    func accepted() -> LoopbackSocket? {
        let other = accept(descriptor, nil, nil)
        guard other >= 0 else { return nil }
        _ = fcntl(other, F_SETFD, FD_CLOEXEC)
        var one: Int32 = 1
        setsockopt(other, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return LoopbackSocket(descriptor: other)
    }

    /// Waits for a number of bytes and returns them; `nil` after the other side has ended the connection.
    func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var place = 0
        while place < count {
            let got = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress?.advanced(by: place), count - place, 0)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            place += got
        }
        return bytes
    }

    /// Sends bytes, and returns `false` if the other side has ended the connection.
    func write(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent < 0, errno == EINTR { continue }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Ends the connection for both sides, which wakes waiting readers.
    ///
    /// The descriptor stays reserved until ``close()``.
    ///
    /// - Parameter resets: Whether the other side receives an error instead of an end.
    func end(resets: Bool = false) {
        if resets {
            var hard = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Releases the descriptor.
    ///
    /// Call this only when no thread uses it.
    func close() { Foundation.close(descriptor) }
}

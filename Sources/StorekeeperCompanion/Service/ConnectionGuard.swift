import NIOCore
import NIOHTTPTypes
import Synchronization

/// Closes a connection that sends no request head in time, that sends a body too slowly or without an end, or whose IP
/// address has too many connections.
///
/// A silent connection costs an attacker nothing, but takes a connection from other clients. A body is limited here, too,
/// because the rest of it is received even after the response has refused the request.
final class ConnectionGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// The size of a body beyond which the connection is closed, in bytes: more than a request may send, so that its
    /// response arrives first.
    private static let longestBody = 2 * CompanionRequest.longestBody

    private let headTime: TimeAmount
    private let bodyTime: TimeAmount
    private let addresses: AddressConnections?
    private var hasBegun = false
    /// The size of the body that is being received so far, in bytes; `nil` between requests.
    private var received: Int?
    /// The IP address for which the connection is counted.
    private var address: String?
    private var deadline: Scheduled<Void>?

    /// Makes a handler of one connection.
    ///
    /// - Parameters:
    ///   - headTime: The time limit for the first head.
    ///   - bodyTime: The time limit for each body.
    ///   - addresses: The connections of all IP addresses; `nil` for no limit.
    init(headTime: TimeAmount, bodyTime: TimeAmount, _ addresses: AddressConnections?) {
        self.headTime = headTime
        self.bodyTime = bodyTime
        self.addresses = addresses
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            cancelDeadline()
            received = 0
        case .body(let part):
            let size = (received ?? 0) + part.readableBytes
            received = size
            guard size <= Self.longestBody else {
                context.close(promise: nil)
                return
            }
        case .end:
            cancelDeadline()
            received = nil
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Most requests have arrived as a whole by now, and need no deadline.
        if received != nil, deadline == nil { closeConnection(context, in: bodyTime) }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func begin(_ context: ChannelHandlerContext) {
        guard !hasBegun else { return }
        hasBegun = true
        if let addresses, let address = context.remoteAddress?.limitedAddress {
            guard addresses.open(address) else {
                context.close(promise: nil)
                return
            }
            self.address = address
        }
        closeConnection(context, in: headTime)
    }

    private func closeConnection(_ context: ChannelHandlerContext, in time: TimeAmount) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }

    private func cancelDeadline() {
        deadline?.cancel()
        deadline = nil
    }

    private func end() {
        cancelDeadline()
        received = nil
        if let address { addresses?.close(address) }
        address = nil
    }
}

/// The number of open connections of each IP address.
final class AddressConnections: Sendable {
    private let limit: Int
    private let counts = Mutex<[String: Int]>([:])

    /// Makes an empty value.
    ///
    /// - Parameter limit: The maximum number of connections of one address.
    init(limit: Int) { self.limit = limit }

    /// Counts a connection; returns `false`, without counting it, if the address has too many.
    func open(_ address: String) -> Bool {
        counts.withLock { counts in
            let count = counts[address, default: 0]
            guard count < limit else { return false }
            counts[address] = count + 1
            return true
        }
    }

    /// Removes a counted connection.
    func close(_ address: String) {
        counts.withLock { counts in
            let count = counts[address, default: 0]
            counts[address] = count > 1 ? count - 1 : nil
        }
    }
}

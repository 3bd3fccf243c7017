import NIOCore
import NIOHTTPTypes
import Synchronization

/// Closes a connection that sends no request head in time, or whose IP address has too many connections.
///
/// A silent connection costs an attacker nothing, but takes a connection from other clients.
final class ConnectionGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let headTime: TimeAmount
    private let addresses: AddressConnections?
    private var hasBegun = false
    /// The IP address for which the connection is counted.
    private var address: String?
    private var deadline: Scheduled<Void>?

    /// Makes a handler of one connection.
    ///
    /// - Parameters:
    ///   - headTime: The time limit for the first head.
    ///   - addresses: The connections of all IP addresses; `nil` for no limit.
    init(headTime: TimeAmount, _ addresses: AddressConnections?) {
        self.headTime = headTime
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
        if let deadline, case .head = unwrapInboundIn(data) {
            deadline.cancel()
            self.deadline = nil
        }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func begin(_ context: ChannelHandlerContext) {
        guard !hasBegun else { return }
        hasBegun = true
        if let addresses, let address = context.remoteAddress?.ipAddress {
            guard addresses.open(address) else {
                context.close(promise: nil)
                return
            }
            self.address = address
        }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: headTime) { context.close(promise: nil) }
    }

    private func end() {
        deadline?.cancel()
        deadline = nil
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

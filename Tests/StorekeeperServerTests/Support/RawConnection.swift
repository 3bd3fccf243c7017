import NIOCore
import NIOPosix
import Synchronization

/// A client that sends bytes over a socket without any protocol, and returns the answer.
enum RawConnection {
    private final class ByteCollector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let text = Mutex("")

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let part = String(buffer: unwrapInboundIn(data))
            text.withLock { $0 += part }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// Sends parts with pauses in between, and waits until the server closes the connection or the limit ends.
    ///
    /// - Parameter source: The address of this machine from which the client connects.
    /// - Returns: The answer, and whether the server has closed the connection.
    static func send(
        _ parts: [String], to port: Int, from source: String = "127.0.0.1", pause: Duration = .zero,
        limit: Duration = .seconds(20)
    ) async throws -> (text: String, isClosed: Bool) {
        try await send(bytes: parts.map { Array($0.utf8) }, to: port, from: source, pause: pause, limit: limit)
    }

    /// Sends parts as bytes, which need not be text, in the same way.
    static func send(
        bytes parts: [[UInt8]], to port: Int, from source: String = "127.0.0.1", pause: Duration = .zero,
        limit: Duration = .seconds(20)
    ) async throws -> (text: String, isClosed: Bool) {
        let keeper = ByteCollector()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { $0.pipeline.addHandler(keeper) }
            .bind(to: SocketAddress(ipAddress: source, port: 0))
            .connect(host: "127.0.0.1", port: port).get()
        let isClosed = Mutex(false)
        channel.closeFuture.whenComplete { _ in isClosed.withLock { $0 = true } }
        for part in parts where !isClosed.withLock({ $0 }) {
            // A failure is ignored: if the server has closed the connection, its answer has already arrived.
            try? await channel.writeAndFlush(ByteBuffer(bytes: part)).get()
            if pause > .zero { try await Task.sleep(for: pause) }
        }
        let end = ContinuousClock.now + limit
        while !isClosed.withLock({ $0 }), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
        let closed = isClosed.withLock { $0 }
        if !closed { try? await channel.close().get() }
        return (keeper.text.withLock { $0 }, closed)
    }
}

import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

/// A server that accepts any POST.
///
/// It runs on a separate thread, because tests that wait for a process block the threads of tasks.
final class NotificationListener {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel
    private let log = Log()

    /// The servers to which clients asked this server to connect, as a proxy.
    var connects: [String] { log.connects.withLock { $0 } }

    private final class Log: Sendable {
        let connects = Mutex<[String]>([])
    }

    init() throws {
        channel = try ServerBootstrap(group: group)
            .childChannelInitializer { [log] channel in
                channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(Answering(log: log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
    }

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/apple" }

    func stop() {
        try? channel.close().wait()
        try? group.syncShutdownGracefully()
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        let log: Log

        init(log: Log) { self.log = log }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let part = unwrapInboundIn(data)
            if case .head(let head) = part, head.method == .CONNECT { log.connects.withLock { $0.append(head.uri) } }
            guard case .end = part else { return }
            let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "0"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}

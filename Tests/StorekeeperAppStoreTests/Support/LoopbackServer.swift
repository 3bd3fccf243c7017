import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A local HTTP/1.1 server whose replies are determined by a closure of the test.
///
/// Requests are read by the HTTP decoder; replies are written as bytes, so that they can be malformed in any way.
final class LoopbackServer: Sendable {
    /// A received request.
    struct Request: Hashable, Sendable {
        var method = ""
        var target = ""
        var fields: [String: String] = [:]
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// The reply to a request.
    enum Reply: Sendable {
        /// A complete response.
        case answer(Int, [String: String] = [:], String = "", type: String? = "application/json")
        /// The server sends these bytes and closes the connection.
        case bytes(String)
        /// The server closes the connection without a response.
        case cut
        /// The server sends nothing and keeps the connection open.
        case silence
        /// The server sends the head of a response, and then a byte of its body every 20 milliseconds.
        case drips

        static func json(_ body: String, status: Int = 200) -> Reply { .answer(status, [:], body) }
        static func error(_ code: Int64, _ message: String = "refused", fields: [String: String] = [:]) -> Reply {
            .answer(Int(code / 10_000), fields, #"{"errorCode":\#(code),"errorMessage":"\#(message)"}"#)
        }
    }

    private let channel: any Channel
    private let log: Log

    /// Records the received requests.
    final class Log: Sendable {
        let requests = Mutex<[Request]>([])
    }

    private init(channel: any Channel, log: Log) {
        self.channel = channel
        self.log = log
    }

    /// The requests so far, in order.
    var requests: [Request] { log.requests.withLock { $0 } }

    var baseURL: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// Serves while a body runs.
    ///
    /// - Parameter reply: Returns the reply to a request, from the request and the number of earlier requests.
    static func serving<Value>(
        _ reply: @escaping @Sendable (Request, Int) -> Reply, _ work: (LoopbackServer) async throws -> Value
    ) async throws -> Value {
        let log = Log()
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
                    try channel.pipeline.syncOperations.addHandler(Handler(log: log, reply: reply))
                }
            }
        let channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        let server = LoopbackServer(channel: channel, log: log)
        do {
            let value = try await work(server)
            try await channel.close()
            return value
        } catch {
            try? await channel.close()
            throw error
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = ByteBuffer

        let log: Log
        let reply: @Sendable (Request, Int) -> Reply
        var request = Request()

        init(log: Log, reply: @escaping @Sendable (Request, Int) -> Reply) {
            self.log = log
            self.reply = reply
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                request = Request(method: head.method.rawValue, target: head.uri)
                for (name, value) in head.headers { request.fields[name.lowercased()] = value }
            case .body(let part): request.body += Array(part.readableBytesView)
            case .end:
                let (request, log) = (request, log)
                let count = log.requests.withLock { requests in
                    requests.append(request)
                    return requests.count - 1
                }
                write(reply(request, count), context)
            }
        }

        private func write(_ reply: Reply, _ context: ChannelHandlerContext) {
            switch reply {
            case .answer(let status, let fields, let body, let type):
                var head = "HTTP/1.1 \(status) Scripted\r\nContent-Length: \(body.utf8.count)\r\n"
                if let type { head += "Content-Type: \(type)\r\n" }
                for (name, value) in fields { head += "\(name): \(value)\r\n" }
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head + "\r\n" + body)), promise: nil)
            case .bytes(let text):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
                context.close(promise: nil)
            case .cut: context.close(promise: nil)
            case .silence: break
            case .drips:
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nContent-Type: application/json\r\n\r\n"
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head)), promise: nil)
                let channel = context.channel
                context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(20)) { task in
                    guard channel.isActive else { return task.cancel() }
                    channel.writeAndFlush(ByteBuffer(string: " "), promise: nil)
                }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

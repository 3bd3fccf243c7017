import NIOCore
import NIOHTTP1
import NIOPosix
import Storekeeper
import Synchronization
import Testing

/// A receiver of webhooks that runs on a separate thread and whose answers are determined by a closure of the test.
final class WebhookReceiver: Sendable {
    /// A message that arrived.
    struct Message: Sendable {
        let id: String
        let timestamp: String
        let signature: String
        let body: [UInt8]
        /// The customer of the event, as the body of the message names it.
        let customer: String
        let sequence: Int64
        /// The receiver's answer to the message.
        var reply = Reply()
    }

    /// An answer.
    struct Reply: Sendable {
        var status = 204
        var fields: [(String, String)] = []
        /// The time that the receiver waits before it answers.
        var delay: Duration = .zero
        /// The length of the body.
        var length = 0
        /// Whether the receiver closes the connection instead of answering.
        var drops = false

        static let accepted = Reply()
        static func status(_ status: Int, _ fields: (String, String)...) -> Reply {
            Reply(status: status, fields: fields)
        }
    }

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel
    private let log: Log

    private final class Log: Sendable {
        let messages = Mutex<[Message]>([])
        let answer: Mutex<@Sendable (Message) -> Reply>

        init(_ answer: @escaping @Sendable (Message) -> Reply) { self.answer = Mutex(answer) }
    }

    init(_ answer: @escaping @Sendable (Message) -> Reply = { _ in .accepted }) throws {
        let log = Log(answer)
        self.log = log
        channel = try ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(Answering(log: log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
    }

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/hook" }

    /// The messages in the order of their arrival.
    var messages: [Message] { log.messages.withLock { $0 } }
    /// The messages that were accepted.
    var accepted: [Message] { messages.filter { (200..<300).contains($0.reply.status) && !$0.reply.drops } }

    /// Sets the answers to all further messages.
    func answer(_ answer: @escaping @Sendable (Message) -> Reply) { log.answer.withLock { $0 = answer } }

    func stop() {
        try? channel.close().wait()
        try? group.syncShutdownGracefully()
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let log: Log
        private var fields = HTTPHeaders()
        private var body: [UInt8] = []

        init(log: Log) { self.log = log }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (fields, body) = (head.headers, [])
            case .body(let part): body += Array(buffer: part)
            case .end: answer(context)
            }
        }

        private func answer(_ context: ChannelHandlerContext) {
            let event = (try? JSONReader().read(body))?.root.object?["data"]?.object
            var message = Message(
                id: fields.first(name: "webhook-id") ?? "", timestamp: fields.first(name: "webhook-timestamp") ?? "",
                signature: fields.first(name: "webhook-signature") ?? "", body: body,
                customer: event?["customer"]?.string ?? "", sequence: event?["sequence"]?.int64 ?? 0)
            message.reply = log.answer.withLock { $0 }(message)
            let reply = message.reply
            log.messages.withLock { [message] in $0.append(message) }
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            let loop = context.eventLoop
            let send: @Sendable () -> Void = { Self.send(reply, bound.value) }
            if reply.delay > .zero {
                loop.scheduleTask(in: .milliseconds(Int64(reply.delay / .milliseconds(1))), send)
            } else {
                send()
            }
        }

        private static func send(_ reply: Reply, _ context: ChannelHandlerContext) {
            guard context.channel.isActive, !reply.drops else { return context.close(promise: nil) }
            var fields = HTTPHeaders(reply.fields)
            if reply.status != 204 { fields.add(name: "content-length", value: String(reply.length)) }
            let head = HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status), headers: fields)
            context.write(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
            if reply.length > 0 {
                let body = ByteBuffer(repeating: UInt8(ascii: "x"), count: reply.length)
                context.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(body))), promise: nil)
            }
            context.writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil)), promise: nil)
        }
    }
}

/// Waits until a condition holds.
func eventually(_ what: Comment, within limit: Duration = .seconds(120), _ condition: () async throws -> Bool)
    async throws
{
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("not in time: \(what)")
}

import NIOCore
import NIOHTTP1
import NIOPosix
import StorekeeperJWS
import Synchronization

/// An OCSP responder on a port of the loopback interface.
final class LoopbackResponder: Sendable {
    /// The responder's reaction to a request.
    enum Reaction: Sendable {
        case answers(@Sendable ([UInt8]) throws -> [UInt8])
        case status(UInt)
        /// Sends bytes without end.
        case streams
        /// Sends the head and a part of the body, and then neither sends more bytes nor closes the connection.
        case stalls
        /// Closes the connection without an answer.
        case closes
        case redirects
    }

    /// A received request.
    struct Question: Sendable {
        var method: String
        var contentType: String?
        var bytes: [UInt8]
    }

    private struct State {
        var conduct = Reaction.status(503)
        var questions: [Question] = []
    }

    private let state = Mutex(State())
    private let channel: any Channel

    var conduct: Reaction {
        get { state.withLock { $0.conduct } }
        set { state.withLock { $0.conduct = newValue } }
    }
    var questions: [Question] { state.withLock { $0.questions } }
    /// The responder's URL.
    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/ocsp" }

    /// Listens while a body runs.
    static func with<Value: Sendable>(_ work: (LoopbackResponder) async throws -> Value) async throws -> Value {
        let holder = Holder()
        let channel = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(Handler(holder))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let responder = LoopbackResponder(channel)
        holder.responder.withLock { $0 = responder }
        do {
            let value = try await work(responder)
            try await channel.close()
            return value
        } catch {
            try await channel.close()
            throw error
        }
    }

    private init(_ channel: any Channel) { self.channel = channel }

    private final class Holder: Sendable {
        let responder = Mutex<LoopbackResponder?>(nil)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let holder: Holder
        private var question = Question(method: "", bytes: [])

        init(_ holder: Holder) { self.holder = holder }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                question = Question(
                    method: head.method.rawValue, contentType: head.headers.first(name: "Content-Type"), bytes: [])
            case .body(let part): question.bytes.append(contentsOf: part.readableBytesView)
            case .end:
                guard let responder = holder.responder.withLock({ $0 }) else { return context.close(promise: nil) }
                let (asked, conduct) = (question, responder.conduct)
                responder.state.withLock { $0.questions.append(asked) }
                answer(conduct, to: asked.bytes, context)
            }
        }

        private func answer(_ conduct: Reaction, to bytes: [UInt8], _ context: ChannelHandlerContext) {
            switch conduct {
            case .answers(let answer):
                guard let body = try? answer(bytes) else { return context.close(promise: nil) }
                send(.ok, body, context)
            case .status(let code): send(HTTPResponseStatus(statusCode: Int(code)), [], context)
            case .closes: context.close(promise: nil)
            case .redirects:
                let head = HTTPResponseHead(
                    version: .http1_1, status: .temporaryRedirect,
                    headers: ["Location": "http://127.0.0.1:9/", "Content-Length": "0"])
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            case .stalls:
                context.write(
                    wrapOutboundOut(
                        .head(HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "500"]))),
                    promise: nil)
                context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: [0x30])))), promise: nil)
            case .streams:
                context.write(
                    wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok))), promise: nil)
                stream(context)
            }
        }

        private func send(_ status: HTTPResponseStatus, _ body: [UInt8], _ context: ChannelHandlerContext) {
            let head = HTTPResponseHead(
                version: .http1_1, status: status,
                headers: ["Content-Type": "application/ocsp-response", "Content-Length": String(body.count)])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        private func stream(_ context: ChannelHandlerContext) {
            guard context.channel.isActive else { return }
            let part = ByteBuffer(bytes: [UInt8](repeating: 0x30, count: 16_384))
            let next = context.eventLoop.makePromise(of: Void.self)
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            next.futureResult.whenSuccess { bound.value.0.stream(bound.value.1) }
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part))), promise: next)
        }
    }
}

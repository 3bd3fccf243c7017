import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Storekeeper

/// Says in problem details what the parser of HTTP has refused, where else an empty answer is given.
///
/// The server answers what is no HTTP with 400 and an empty body before it closes the connection; no route does so.
final class ParserProblems: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let problem = Problem.badRequest(
        "it is not HTTP, or its head has too many or too long fields", "send HTTP/1.1, with a head below 16 KiB")

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(let head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.contentLength] == "0", head.headerFields[.connection] == "close"
        else {
            context.write(data, promise: promise)
            return
        }
        let body = ByteBuffer(bytes: Self.problem.json.bytes())
        var fields = Self.problem.fields
        fields[.connection] = "close"
        fields[.contentLength] = String(body.readableBytes)
        context.write(
            wrapOutboundOut(.head(HTTPResponse(status: .badRequest, headerFields: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: promise)
    }
}

import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Storekeeper

/// Adds problem details to the HTTP parser's error responses, whose bodies are otherwise empty.
///
/// The parser responds to malformed HTTP with 400, an empty body, and `Connection: close`. No route sends such a
/// response, so this handler recognizes the parser's responses by these values.
final class ParserProblems: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let problem = Problem.badRequest(
        "the request is not HTTP, or its header has too many or too long fields",
        "send HTTP/1.1 with a header of less than 16 KiB")

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

import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Storekeeper

/// Answers that change, as they change.
extension CompanionService {
    /// How long a stream is silent at most, so that those on the way do not take it for dead.
    private static let heartbeat = Duration.seconds(15)

    /// The events of all customers as server-sent events, from a place on: after the header `Last-Event-ID`, or after
    /// the parameter `after`, or from the first one on, so that who comes for the first time misses none.
    ///
    /// - SeeAlso: WHATWG, "HTML: Server-sent events".
    func events(_ question: CompanionQuestion) throws -> Response {
        try question.allow("after")
        var place = FeedPlace(try number("after", in: question, 0...Int64.max) ?? 0)
        if let text = question.request.headers[Self.lastEventID] {
            guard let number = Int64(text), number >= 0 else {
                throw Problem.badRequest("Last-Event-ID is none that was sent", "begin without it, or with ?after=0")
            }
            place = FeedPlace(number)
        }
        let feed = pool.events(after: place)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var iterator = feed.makeAsyncIterator()
                // Who listens sees at once that they are connected.
                try await writer.write(ByteBuffer(string: ": storekeeper\n\n"))
                while true {
                    switch try await Self.next(of: iterator) {
                    case .event(let event, let following):
                        iterator = following
                        try await writer.write(Self.text(of: event))
                    case .silence: try await writer.write(ByteBuffer(string: ":\n\n"))
                    case .end:
                        try await writer.finish(nil)
                        return
                    }
                }
            })
    }

    private static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .ifMatch

    private enum Step: Sendable {
        case event(StoreEvent, StoreEvents.Iterator)
        case silence
        case end
    }

    /// The next event, or silence after a while; the end where the service is shut down.
    private static func next(of iterator: StoreEvents.Iterator) async throws -> Step {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Step.self) { group in
                group.addTask {
                    var iterator = iterator
                    // A copy: where silence comes first, what it has read is read again.
                    guard let event = try await iterator.next() else { return .end }
                    return .event(event, iterator)
                }
                group.addTask {
                    do { try await Task.sleep(for: heartbeat) } catch { return .end }
                    return .silence
                }
                let first = try await group.next() ?? .end
                group.cancelAll()
                if case .silence = first, let second = try await group.next(), case .event = second { return second }
                return first
            }
        }
    }

    private static func text(of event: StoreEvent) -> ByteBuffer {
        ByteBuffer(string: "id: \(event.place.number)\nevent: change\ndata: \(event.json.text())\n\n")
    }
}

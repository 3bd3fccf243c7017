import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Storekeeper
import StorekeeperPages

/// The stream of changed answers.
extension CompanionService {
    /// The longest time without data in a stream, so that proxies do not close the stream.
    private static let heartbeat = Duration.seconds(15)

    /// Responds with the events of all customers as server-sent events, after the cursor in the header `Last-Event-ID`
    /// or the parameter `after`.
    ///
    /// Without a cursor, the stream starts at the first event.
    ///
    /// A cursor is refused with 410 if the vault does not have its event, because it is then unknown which events the
    /// client has missed.
    ///
    /// - SeeAlso: WHATWG, "HTML: Server-sent events".
    func events(_ request: CompanionRequest) async throws -> Response {
        try request.allowOnly("after")
        var cursor = FeedCursor.start
        for text in [try request.parameter("after"), try request.field(.lastEventID)].compactMap(\.self) {
            guard let read = FeedCursor(text) else {
                throw Problem.badRequest(
                    "the cursor is invalid", "send the id of an event, or start without one")
            }
            cursor = read
        }
        guard try await cursor.exists(in: pool.vault) else {
            throw Problem.cursorGone(newest: try await FeedCursor.newest(in: pool.vault).description)
        }
        let feed = pool.events(after: cursor.place)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { [state] writer in
                state.beginStream()
                defer { state.endStream() }
                var iterator = feed.makeAsyncIterator()
                // A first comment shows the client at once that it is connected.
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

    private enum Step: Sendable {
        case event(StoreEvent, StoreEvents.Iterator)
        case silence
        case end
    }

    /// Returns the next event, or `silence` if no event occurs within ``heartbeat``, or `end` when the service shuts
    /// down.
    private static func next(of iterator: StoreEvents.Iterator) async throws -> Step {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Step.self) { group in
                group.addTask {
                    var iterator = iterator
                    // The task uses a copy of the iterator. If the timeout ends first, the events that the copy has
                    // read are read again.
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
        ByteBuffer(string: "id: \(FeedCursor(after: event))\nevent: change\ndata: \(event.json.text())\n\n")
    }
}

import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Storekeeper
import StorekeeperPages

/// The route that streams the changes of customers' answers, and notifications that need an action.
extension CompanionService {
    /// The longest time for which a stream sends no data, because proxies may close an idle stream.
    private static let heartbeat = Duration.seconds(15)

    /// Responds with the events of all customers as server-sent events, after the cursor in the header `Last-Event-ID`
    /// or the parameter `after`.
    ///
    /// Without a cursor, the stream starts at the first event.
    ///
    /// The stream ends before the first event or heartbeat at which its key is expired, removed or without the scope, and
    /// when another database server has replaced the server, because it may lack the last events.
    ///
    /// If the vault does not have the event of a cursor, the response is 410, because it is unknown which events the
    /// client has missed.
    ///
    /// - SeeAlso: WHATWG, "HTML: Server-sent events".
    func events(_ request: CompanionRequest) async throws -> Response {
        var cursor = FeedCursor.start
        for text in [try request.parameter("after"), try request.field(.lastEventID)].compactMap(\.self) {
            guard let read = FeedCursor(text) else {
                throw Problem.badRequest(
                    "the cursor is invalid", "send the id of an event, or start without one")
            }
            cursor = read
        }
        // The feed is created first, so that it ends if its places are assigned again after the cursor was checked.
        let feed = pool.events(after: cursor.place)
        guard try await cursor.exists(in: pool.vault) else {
            throw Problem.cursorGone(newest: try await FeedCursor.newest(in: pool.vault).description)
        }
        let authorization = request.http.headers[.authorization]
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { [state, keys] writer in
                state.beginStream()
                defer { state.endStream() }
                var iterator = feed.makeAsyncIterator()
                // A comment at the start shows the client that it is connected.
                try await writer.write(ByteBuffer(string: ": storekeeper\n\n"))
                while true {
                    let step: Step
                    do {
                        step = try await Self.next(of: iterator)
                    } catch let error as VaultError where error.code == .feedReplaced {
                        // The response to the client's next request is 410, because its cursor has another epoch.
                        try await writer.write(ByteBuffer(string: ": the feed was replaced\n\n"))
                        try await writer.finish(nil)
                        return
                    }
                    guard keys.stillPermit(authorization, .admin) else {
                        try await writer.write(ByteBuffer(string: ": the key is not valid any more\n\n"))
                        try await writer.finish(nil)
                        return
                    }
                    switch step {
                    case .event(let event, let following):
                        iterator = following
                        try await writer.write(Self.text(of: event, feed.epoch))
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
                    // The task uses a copy of the iterator. If the timeout ends first, the copy is discarded, and the
                    // events that it has read are read again.
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

    private static func text(of event: StoreEvent, _ epoch: String?) -> ByteBuffer {
        let cursor = FeedCursor(after: event, epoch: epoch)
        return ByteBuffer(string: "id: \(cursor)\nevent: \(event.type)\ndata: \(event.json.text())\n\n")
    }
}

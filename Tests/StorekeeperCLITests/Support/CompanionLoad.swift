import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

/// Callers that change balances and post notifications to several nodes of the companion service, and record the
/// responses.
final class CompanionLoad: Sendable {
    /// An acknowledged change of a balance.
    struct Move: Hashable, Sendable {
        let customer: String
        let change: Int64
        let receipt: String
    }

    private struct State {
        var moves: [String: Move] = [:]
        var transactions: Set<String> = []
        var unsent: [(transactionID: String, body: String)]
        var isOver = false
        var wrong: [String] = []
    }

    private let folder: CompanionFolder
    private let urls: [String]
    private let state: Mutex<State>
    private let subscriptions: [(transactionID: String, body: String)]

    init(_ folder: CompanionFolder, at urls: [String], notifications: Int) throws {
        self.folder = folder
        self.urls = urls
        var bodies = try (0..<notifications).map {
            try folder.notification(by: folder.customers[$0 % folder.customers.count])
        }
        // Each customer has a subscription, whose notification causes events.
        subscriptions = try folder.customers.map { try folder.notification(of: "gold.monthly", by: $0) }
        bodies += subscriptions.reversed()
        state = Mutex(State(unsent: bodies))
    }

    var moves: [String: Move] { state.withLock { $0.moves } }
    /// The purchases of coins whose notifications were acknowledged.
    var transactions: Set<String> {
        state.withLock { $0.transactions }.subtracting(subscriptions.map(\.transactionID))
    }
    /// The subscriptions whose notifications were acknowledged.
    var subscribed: Set<String> {
        Set(subscriptions.map(\.transactionID)).intersection(state.withLock { $0.transactions })
    }
    /// Unexpected responses.
    var wrong: [String] { state.withLock { $0.wrong } }
    var count: Int { state.withLock { $0.moves.count + $0.transactions.count } }
    /// Whether all notifications are posted.
    var isAllPosted: Bool { state.withLock { $0.unsent.isEmpty } }

    /// Lets the callers complete their requests.
    func end() { state.withLock { $0.isOver = true } }

    /// Runs the loop of one caller.
    func call(as number: Int, seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        for customer in folder.customers {
            try await move("grant-\(number)-\(customer)", 1_000_000, of: customer, random: &random)
        }
        var round = 0
        while !state.withLock({ $0.isOver }) {
            round += 1
            let customer = folder.customers[random.number(in: 0...folder.customers.count - 1)]
            let next = random.chance(20) ? state.withLock { $0.unsent.popLast() } : nil
            if let next {
                try await post(next, random: &random)
            } else {
                let change = Int64(random.number(in: 1...3)) * (random.chance(20) ? 1 : -1)
                try await move("move-\(number)-\(round)", change, of: customer, random: &random)
            }
        }
    }

    /// Changes a balance, with retries; sometimes repeats an acknowledged request.
    private func move(_ key: String, _ change: Int64, of customer: String, random: inout SplitMix64) async throws {
        let path = "/v1/customers/\(customer)/balances/coins/\(change > 0 ? "grant" : "spend")"
        let body = change > 0 ? #"{"quantity":\#(change),"reason":"load"}"# : #"{"quantity":\#(-change)}"#
        for _ in 0..<(random.chance(10) ? 2 : 1) {
            let answer = try await untilAnswered(random: &random) { url in
                try await folder.ask(.POST, url + path, body: body, idempotencyKey: key)
            }
            let receipt = answer.document?.object?["receipt"]?.string ?? ""
            let move = Move(customer: customer, change: change, receipt: receipt)
            state.withLock { state in
                if answer.status != 200 { state.wrong.append("\(key): \(answer.text)") }
                if let known = state.moves.updateValue(move, forKey: key), known != move {
                    state.wrong.append("\(key): another receipt when repeated")
                }
            }
        }
    }

    private func post(
        _ notification: (transactionID: String, body: String), random: inout SplitMix64
    ) async throws {
        for _ in 0..<(random.chance(30) ? 2 : 1) {
            let answer = try await untilAnswered(random: &random) { url in
                try await folder.ask(.POST, url + "/apple/notifications", body: notification.body)
            }
            state.withLock { state in
                if answer.status == 200 {
                    state.transactions.insert(notification.transactionID)
                } else {
                    state.wrong.append("notification: \(answer.status)")
                }
            }
        }
    }

    /// Sends a request to random nodes until a node answers.
    private func untilAnswered(
        random: inout SplitMix64,
        _ ask: (String) async throws -> (status: Int, document: JSONValue?, text: String)?
    ) async throws -> (status: Int, document: JSONValue?, text: String) {
        while true {
            let url = urls[random.number(in: 0...urls.count - 1)]
            // A proxy returns 502 or 504 if no node behind it has answered.
            if let answer = try await ask(url), ![502, 503, 504].contains(answer.status) { return answer }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// A client of one node's event stream, which reconnects and continues at its cursor after the node has restarted.
struct EventListener: Sendable {
    let url: String
    let key: String

    /// Returns the events from the start in the order of their arrival, up to an event with the last number.
    func events(until last: @escaping @Sendable () -> Int64?) async throws -> [Event] {
        let heard = ReceivedEvents()
        while true {
            if let last = last(), (heard.last ?? 0) >= last { return heard.events }
            // Each connection lasts at most a second, so that the test often continues at a cursor.
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await listen(heard) }
                group.addTask { try await Task.sleep(for: .seconds(1)) }
                _ = try await group.next()
                group.cancelAll()
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private final class ReceivedEvents: Sendable {
        private let state = Mutex<[Event]>([])
        var events: [Event] { state.withLock { $0 } }
        var last: Int64? { state.withLock { $0.last?.id } }
        /// The cursor of the last event.
        var cursor: String? { state.withLock { $0.last?.cursor } }
        func append(_ event: Event) { state.withLock { $0.append(event) } }
    }

    /// An event, as it was sent.
    struct Event: Hashable, Sendable {
        /// The number of the event.
        let id: Int64
        /// The cursor, which consists of the number and a fingerprint of the event.
        let cursor: String
        let data: String
    }

    private func listen(_ heard: ReceivedEvents) async throws {
        var request = HTTPClientRequest(url: url + "/v1/events")
        request.headers.add(name: "authorization", value: "Bearer \(key)")
        request.headers.add(name: "last-event-id", value: heard.cursor ?? "0")
        do {
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            guard response.status == .ok else { return }
            var text = ""
            for try await part in response.body {
                text += String(buffer: part)
                while let end = text.range(of: "\n\n") {
                    if let event = Self.event(text[..<end.lowerBound]) { heard.append(event) }
                    text.removeSubrange(..<end.upperBound)
                }
            }
        } catch {
            // The node was killed, or the second for which the connection lasts has passed.
        }
    }

    private static func event(_ text: Substring) -> Event? {
        var cursor: String?
        var data: String?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("id: ") { cursor = String(line.dropFirst(4)) }
            if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
        }
        guard let cursor, let data, let id = Int64(cursor.prefix { $0 != "-" }) else { return nil }
        return Event(id: id, cursor: cursor, data: data)
    }
}

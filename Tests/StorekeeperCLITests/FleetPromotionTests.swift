import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperPostgres

/// Tests of a fleet behind the shipped configuration of nginx, whose database server is replaced by a standby.
@Suite(
    "Promotion under a fleet", .proof, .serialized, .timeLimit(.minutes(10)),
    .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"),
    .enabled(if: Proxy.program != nil, "nginx is not installed"))
struct FleetPromotionTests {
    @Test(
        "No open stream skips an event, whether the standby had all commits or lacked the last ones",
        arguments: [true, false])
    func promotion(isSynchronous: Bool) async throws {
        let servers = try Replication()
        defer { servers.remove() }
        if isSynchronous { try await servers.makeSynchronous() }
        let fleet = try await Fleet(on: servers.address, customers: 40)
        let proxy = try await Proxy(before: fleet.urls, in: fleet.folder.folder)
        defer { proxy.stop() }
        let customers = fleet.folder.customers
        let streams = fleet.urls.map { EventReader(of: $0, key: fleet.folder.key) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for stream in streams { group.addTask { try await stream.run() } }
            for customer in customers[..<20] { try await Self.buy(by: customer, at: proxy.url, fleet.folder) }
            if !isSynchronous {
                try await servers.cutOff()
                for customer in customers[20..<30] { try await Self.buy(by: customer, at: proxy.url, fleet.folder) }
            }
            try servers.promote()
            for customer in customers[30...] { try await Self.buy(by: customer, at: proxy.url, fleet.folder) }
            try await fleet.ready()
            // The streams have time to read what the new server has.
            try await Task.sleep(for: .seconds(3))
            group.cancelAll()
        }
        let kept = isSynchronous ? Array(customers[..<20] + customers[30...]) : Array(customers[30...])
        for url in fleet.urls {
            for customer in kept {
                let answer = try await fleet.folder.ask(.GET, url + "/v1/customers/\(customer)/features/ad-free")
                #expect(answer?.document?.object?["answer"]?.string == "entitled", "\(answer?.text ?? "no answer")")
            }
        }
        let final = EventReader(of: fleet.urls[0], key: fleet.folder.key)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await final.run() }
            try await Task.sleep(for: .seconds(2))
            group.cancelAll()
        }
        let feed = try #require(final.segments.last)
        #expect(Set(feed.customers).isSuperset(of: kept))
        for stream in streams {
            // The stream of the old server ended, and the new server did not continue it.
            #expect(stream.goneCount == 1 && stream.segments.count >= 2)
            for segment in stream.segments where isSynchronous || segment.epoch == feed.epoch {
                #expect(segment.isPart(of: feed), "\(segment.places) of \(feed.places)")
            }
            #expect(stream.segments.last?.epoch == feed.epoch)
        }
        try fleet.end("a standby that is \(isSynchronous ? "" : "not ")synchronous")
    }

    /// Sends the notification of a purchase until a node acknowledges it, as the App Store does.
    private static func buy(by customer: String, at url: String, _ folder: CompanionFolder) async throws {
        let notification = try folder.notification(of: "remove.ads", by: customer)
        try await eventually("a node takes the notification", within: .seconds(60)) {
            try await folder.ask(.POST, url + "/apple/notifications", body: notification.body)?.status == 200
        }
    }
}

/// A reader of a node's event stream, which connects again with the last cursor, and begins anew after 410.
private final class EventReader: Sendable {
    /// The events of one connection.
    struct Segment {
        var places: [Int] = []
        var customers: [String] = []
        var epoch: Substring?

        /// Whether the events follow each other in a feed without a gap.
        func isPart(of feed: Segment) -> Bool {
            guard let first = places.first else { return true }
            guard let start = feed.places.firstIndex(of: first) else { return false }
            return feed.places[start...].prefix(places.count).elementsEqual(places)
                && feed.customers[start...].prefix(customers.count).elementsEqual(customers)
        }
    }

    private struct State {
        var segments: [Segment] = []
        var cursor: String?
        var gone = 0
    }

    private let url: String
    private let key: String
    private let state = Mutex(State())

    var segments: [Segment] { state.withLock { $0.segments.filter { !$0.places.isEmpty } } }
    var goneCount: Int { state.withLock { $0.gone } }

    init(of url: String, key: String) { (self.url, self.key) = (url, key) }

    /// Reads until the task is cancelled.
    func run() async throws {
        while !Task.isCancelled {
            do { try await connect() } catch is CancellationError { return } catch {}
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func connect() async throws {
        var request = HTTPClientRequest(url: url + "/v1/events")
        request.headers.add(name: "authorization", value: "Bearer \(key)")
        if let cursor = state.withLock({ $0.cursor }) { request.headers.add(name: "last-event-id", value: cursor) }
        let response = try await HTTPClient.shared.execute(request, timeout: .hours(1))
        if response.status == .gone {
            state.withLock {
                $0.gone += 1
                $0.cursor = nil
            }
        }
        guard response.status == .ok else { return }
        state.withLock { $0.segments.append(Segment()) }
        var text = ""
        for try await part in response.body {
            text += String(buffer: part)
            while let end = text.range(of: "\n\n") {
                note(text[..<end.lowerBound])
                text.removeSubrange(..<end.upperBound)
            }
        }
    }

    private func note(_ message: Substring) {
        let fields = Dictionary(
            message.split(separator: "\n").compactMap { line in
                line.range(of: ": ").map { (line[..<$0.lowerBound], line[$0.upperBound...]) }
            }, uniquingKeysWith: { first, _ in first })
        guard let id = fields["id"], let place = id.split(separator: "-").first.flatMap({ Int($0) }),
            let data = fields["data"].flatMap({ try? JSONReader().read(Array($0.utf8)).root.object })
        else { return }
        state.withLock { state in
            let last = state.segments.count - 1
            state.cursor = String(id)
            state.segments[last].places.append(place)
            state.segments[last].customers.append(data["customer"]?.string ?? "")
            state.segments[last].epoch = id.split(separator: "-").last
        }
    }
}

/// A database server and its standby, which a test may promote.
private final class Replication {
    private let folder: URL
    private let primary: String
    private let standby: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "replication-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The server may run as another user, who must reach its folder.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        primary = try Self.script("start", folder.appending(path: "primary").path)
        standby = try Self.script("standby", folder.appending(path: "standby").path, primary)
    }

    /// The connection string for both, of which the client uses the server that accepts writes.
    var address: String {
        let ports = [primary, standby].compactMap { URLComponents(string: $0)?.port }
        return "postgres://storekeeper@\(ports.map { "127.0.0.1:\($0)" }.joined(separator: ","))/postgres"
            + "?target_session_attrs=read-write"
    }

    /// Makes commits wait for the standby.
    func makeSynchronous() async throws {
        try Self.run("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()::text", at: primary)
        try await eventually("the standby is synchronous") { try standbys("sync_state = 'sync'") == 1 }
    }

    /// Lets the standby receive no more commits.
    func cutOff() async throws {
        try Self.run("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()::text", at: standby)
        try await eventually("the standby is cut off") { try standbys("true") == 0 }
    }

    /// Returns the number of the connected standbys that meet a condition.
    private func standbys(_ condition: String) throws -> Int64? {
        let question = Statement("SELECT count(*) FROM pg_stat_replication WHERE \(condition)")
        return try Connection(ConnectionSettings(primary)).run(question, within: .seconds(30))
            .first { row throws(PostgresFailure) in try row.int() }
    }

    /// Ends the primary as a crash does, and promotes the standby.
    func promote() throws {
        let file = folder.appending(path: "primary/postmaster.pid")
        let process = try #require(
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").first.flatMap { pid_t($0) })
        kill(process, SIGQUIT)
        try Self.run("SELECT pg_promote()::text", at: standby)
    }

    func remove() {
        for name in ["primary", "standby"] { _ = try? Self.script("stop", folder.appending(path: name).path) }
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ statements: String..., at address: String) throws {
        let connection = try Connection(ConnectionSettings(address + "?target_session_attrs=any"))
        for statement in statements { _ = try connection.run(Statement(statement), within: .seconds(60)) }
    }

    /// Runs the script for separate servers, which leaves a server running, and returns the last line of its output.
    private static func script(_ words: String...) throws -> String {
        let script = CompanionFolder.repository.appending(path: "Scripts/postgres-server.sh").path
        return String(try ServerPrograms.run([script] + words).split(separator: "\n").last ?? "")
    }
}

import Foundation
import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Testing

/// A small disk in memory, visible only to the program that the wrapper runs.
private enum SmallDisk {
    static let isPossible =
        geteuid() == 0
        && (try? ServerPrograms.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])) != nil

    static func wrapper(at place: URL) -> [String] {
        let mount = #"mount -t tmpfs -o size=48m,mode=0700,uid="$(id -u postgres)" tmpfs "$0" && exec "$@""#
        return ["unshare", "-m", "sh", "-c", mount, place.path]
    }
}

/// Tests with a database on a small disk in memory, which is visible only to the server.
///
/// The server's log is on another disk, because the server ends if it cannot write its log.
@Suite(
    "A full disk", .serialized, .proof,
    .enabled(
        if: ServerPrograms.areInstalled && SmallDisk.isPossible,
        "PostgreSQL's server is not installed, or mounting is not permitted"))
struct PostgresFullDiskTests {
    @Test("A full disk is reported as such, loses nothing acknowledged, and the vault works again once there is room")
    func full() async throws {
        let place = try await offThread { try ServerFolder.makeFolder("disk-\(UUID().uuidString.prefix(8))") }
        let server = try await PostgresServer.make(["autovacuum": "off"], wrappedIn: SmallDisk.wrapper(at: place))
        try await server.run(
            "CREATE TABLESPACE small LOCATION '\(place.path)'", "CREATE DATABASE tight TABLESPACE small")
        let address = server.address(of: "tight")
        let vault = try await PostgresVault(address, options: .init(connections: 3))
        defer { vault.close() }
        try await server.run(
            "CREATE TABLE filler AS SELECT repeat('x', 1000) FROM generate_series(1, 6000)", on: address)

        var random = SplitMix64(seed: 1)
        var acknowledged: [String] = []
        var refusal: VaultError?
        var steps = 0
        for step in 0..<1_000 where refusal == nil {
            // The reasons have the maximum length and random text, which cannot be compressed, so that the disk is soon
            // full. Each step has its own customer, so that the space for reading an account does not grow.
            let customer = Self.customer(step)
            let requests = (0..<250).map { number in
                let reason = (0..<75).map { _ in String(random.next(), radix: 36) }.joined()
                return LedgerRequest.grant(
                    1, of: "coins", to: customer, because: reason, key: LedgerRequest.Key("gift \(step)-\(number)"),
                    at: .day(1))
            }
            do throws(VaultError) {
                let results = try await vault.move(requests, policy: .debt)
                for (request, result) in zip(requests, results) {
                    if case .success = result { acknowledged.append(request.key.rawValue) }
                }
                steps += 1
            } catch {
                refusal = error
            }
        }
        #expect(refusal?.code == .full, "\(String(describing: refusal))")
        #expect(acknowledged.count > 5 * 250)
        #expect(try await Self.keys(in: vault, steps) == acknowledged)
        // A smaller step may have found space. The refused step was refused again.
        try await server.run("DROP TABLE filler", "CHECKPOINT", on: address)
        let results = try await vault.move(
            [.grant(1, of: "coins", to: Self.customer(steps), because: "room", key: "room", at: .day(1))], policy: .debt
        )
        #expect(try results.first?.get().balance == 1)
        #expect(try await Self.keys(in: vault, steps + 1) == acknowledged + ["room"])
        #expect(try await vault.checkIntegrity().faults == [])
    }

    /// Returns the customer of a step.
    private static func customer(_ step: Int) -> CustomerID { CustomerID(rawValue: "customer \(step)") }

    private static func keys(in vault: PostgresVault, _ steps: Int) async throws -> [String] {
        var keys: [String] = []
        for step in 0...steps {
            for entry in try await vault.entries(after: .start, of: customer(step), limit: .max) {
                if case .request(let key, _) = entry.cause { keys.append(key.rawValue) }
            }
        }
        return keys
    }
}

import Foundation
import StorekeeperTesting
import Testing

/// Tests of the errors of `storekeeper serve` if it cannot listen on its address.
@Suite("Errors of a server that cannot listen", .system, .timeLimit(.minutes(5))) struct ListeningTests {
    private static let localStore = [
        "--local-app-store", "\(CompanionFolder.repository.path)/Configuration/Store.storekit",
    ]

    @Test("A port in use is named, with the remedy", arguments: [true, false])
    func portInUse(isLocalStore: Bool) async throws {
        let listener = try NotificationListener()
        defer { listener.stop() }
        let port = try #require(URL(string: listener.url)?.port)
        let folder = try await isLocalStore ? Folder() : CompanionFolder().folder
        let result = try Program.run(
            ["serve", "--port", "\(port)"] + (isLocalStore ? Self.localStore : []), in: folder)
        #expect(
            result.errorLines.last
                == "storekeeper: error: another program uses this port (127.0.0.1:\(port)): stop that program, or "
                + "choose another port with --port N; --port 0 chooses a free one")
        #expect(result.status == 69)
    }

    @Test(
        "A host that does not belong to this machine is named",
        arguments: [
            ("nowhere.invalid", "nowhere.invalid:0", "this name has no address"),
            // The first address is reserved for documentation. The second is a link-local address without a zone.
            ("192.0.2.1", "192.0.2.1:0", "this machine does not have this address"),
            ("fe80::1", "[fe80::1]:0", "this machine does not have this address"),
        ])
    func foreignHost(host: String, place: String, what: String) throws {
        let result = try Program.run(
            ["serve", "--host", host, "--port", "0", "--allow-remote"] + Self.localStore, in: Folder())
        #expect(result.errorLines.count == 1)
        #expect(result.errors.hasPrefix("storekeeper: error: \(what) (\(place)): "), "\(result.errors)")
        #expect(result.errors.contains("--host ADDRESS"))
        #expect(result.status == 69)
    }
}

import Foundation
import StorekeeperTesting
import Synchronization
import Testing

/// Tests of the files with secrets that commands create, while another user watches the folder.
@Suite(.system) struct PrivateFileTests {
    @Test(
        "A new secret has never had permissions for others, even without a mask for permissions",
        arguments: [
            ("lease.pem", ["serve", "--new-lease-key", "lease.pem"]),
            ("billing.secret", ["serve", "--new-webhook-secret", "billing.secret"]),
            ("storekeeper.keys", ["serve", "--new-key", "game", "--scope", "check"]),
            ("vault.sqlite", ["vault", "init", "--vault", "vault.sqlite"]),
        ])
    func watched(name: String, arguments: [String]) throws {
        let program = try #require(Program.executable).path
        for _ in 1...5 {
            let folder = try Folder()
            let watcher = PermissionsWatcher(folder.url.appending(path: name).path)
            let made = try Program.run(
                ["-c", "umask 0; exec \"$0\" \"$@\"", program] + arguments, in: folder, as: "/bin/sh")
            #expect(made.status == 0, "\(made.errors)")
            #expect(watcher.end() == [0o600])
        }
    }

    @Test("A link at the path of a new secret is refused, and its target does not change")
    func links() throws {
        let folder = try Folder()
        try folder.write("old", to: "target")
        for (link, target) in [("lease.pem", "target"), ("billing.secret", "none"), ("storekeeper.keys", "none")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.url.appending(path: link).path, withDestinationPath: target)
        }
        for arguments in [
            ["--new-lease-key", "lease.pem"], ["--new-webhook-secret", "billing.secret"],
            ["--new-key", "game", "--scope", "check"],
        ] {
            let made = try Program.run(["serve"] + arguments, in: folder)
            #expect(made.status == 73, "\(made.errors)")
        }
        #expect(try String(contentsOf: folder.url.appending(path: "target"), encoding: .utf8) == "old")
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "none").path))
    }

    @Test("The state of a local App Store can be read by its owner only, also after a step was undone")
    func state() async throws {
        let folder = try Folder()
        let catalog = CompanionFolder.repository.appending(path: "Configuration/Store.storekit").path
        let store = try ServedProcess([catalog, "--state", "state.yaml"], in: folder)
        func permissions() -> [Int?] {
            ["state.yaml", "state.yaml.keys"].map { permissionBits(of: folder.url.appending(path: $0).path) }
        }
        #expect(permissions() == [0o600, 0o600])
        try await store.step("buy gold.monthly by customer")
        try await store.post("/local/v1/story/undo", [:])
        #expect(permissions() == [0o600, 0o600])
        _ = store.end(SIGTERM)
    }
}

/// Returns the permissions of a file or link; `nil` if nothing exists at the path.
private func permissionBits(of path: String) -> Int? {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_mode & 0o777) : nil
}

/// Records all permissions that a file has had, as another user sees them who waits for the file.
private final class PermissionsWatcher: Sendable {
    private struct State {
        var seen: Set<Int> = []
        var isOver = false
    }

    private let path: String
    private let state = Mutex(State())

    init(_ path: String) {
        self.path = path
        Thread.detachNewThread { [self] in while look() {} }
    }

    /// Records the permissions, and returns whether to continue.
    private func look() -> Bool {
        let bits = permissionBits(of: path)
        return state.withLock {
            if let bits { $0.seen.insert(bits) }
            return !$0.isOver
        }
    }

    /// Ends the watch, and returns the permissions.
    func end() -> Set<Int> {
        _ = look()
        return state.withLock {
            $0.isOver = true
            return $0.seen
        }
    }
}

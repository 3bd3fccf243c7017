import Foundation
import Testing

/// Apple's server client and verifier with `storekeeper local-app-store`: all their calls.
///
/// `Scripts/apple-library.sh` installs them; if this failed, the test is skipped, unless the environment contains
/// `STOREKEEPER_APPLE_LIBRARY=required`.
@Suite(.enabled(if: AppleClient.isWanted, "Apple's client is not installed: run Scripts/apple-library.sh"))
struct AppleClientTests {
    @Test(
        "Apple's client receives the documented responses; its verifier distinguishes revoked certificates from valid ones",
        arguments: [
            "exercise-with-apple-client.py", "check-revocation-with-apple-library.py",
            "check-parity-with-apple-library.py",
        ])
    func apple(_ script: String) throws {
        let folder = try Folder()
        let program = try #require(Program.executable)
        let result = try Program.run(
            [
                "-W", "ignore", AppleClient.root.appending(path: "Scripts/\(script)").path, program.path,
                AppleClient.root.appending(path: "Configuration/Store.storekit").path,
            ], in: folder, as: AppleClient.python.path)
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
        #expect(result.outputLines.last?.hasSuffix(" 0 findings") == true, "\(result.output)")
    }
}

/// The path of Apple's client.
private enum AppleClient {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let python = root.appending(path: ".build/apple-library/bin/python")

    static let isWanted =
        ProcessInfo.processInfo.environment["STOREKEEPER_APPLE_LIBRARY"] == "required"
        || FileManager.default.fileExists(atPath: root.appending(path: ".build/apple-library/version").path)
}

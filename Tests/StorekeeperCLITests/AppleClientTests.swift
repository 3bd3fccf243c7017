import Foundation
import StorekeeperTesting
import Testing

/// Tests all calls of Apple's server client and of Apple's verifier, with `storekeeper local-app-store`.
///
/// `Scripts/apple-library.sh` installs the client and the verifier. If the installation has failed, the tests are
/// skipped, or fail if the environment contains `STOREKEEPER_APPLE_LIBRARY=required`.
@Suite(.system, .enabled(if: AppleClient.isWanted, "Apple's client is not installed: run Scripts/apple-library.sh"))
struct AppleClientTests {
    @Test(
        "Apple's client receives the documented responses; its verifier distinguishes revoked certificates from valid ones",
        arguments: ["exercise-with-apple-client.py", "check-revocation-with-apple-library.py"])
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

extension AppleClientTests {
    @Test("The article's block for Python reads a status from a local App Store")
    func article() throws {
        let guide = try Guide("Sources/StorekeeperSimulator/Documentation.docc/UsingApplesLibraries.md")
        let folder = try Folder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "Configuration"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: AppleClient.root.appending(path: "Configuration/Store.storekit"),
            to: folder.url.appending(path: "Configuration/Store.storekit"))
        let start = try #require(guide.blocks(of: "sh").first).trimmingCharacters(in: .newlines)
        let blocks = guide.blocks(of: "python")
        try #require(blocks.count == 1)
        let port = "\(try Guide.freePorts(1)[0])"
        try folder.write(
            "import sys\ntransaction_id = sys.argv[1]\n" + (try Guide.replace("8080", with: port, in: blocks[0])),
            to: "client.py")
        let steps = #"{"step": "buy gold.monthly by customer"}"#
        let result = try Guide.type(
            [
                #"PATH="$(dirname "$program"):$PATH""#, try Guide.replace("8080", with: port, in: start) + " &",
                "curl -s --fail --retry 9 --retry-connrefused -o no.json http://127.0.0.1:\(port)/local/v1",
                "curl -s --fail -H 'Content-Type: application/json' http://127.0.0.1:\(port)/local/v1/steps -d '\(steps)' "
                    + "> bought.json",
                "id=$(sed 's/.*\"transactionID\":\"\\([0-9]*\\)\".*/\\1/' bought.json)",
                "\(AppleClient.python.path) -W ignore client.py \"$id\"",
            ], in: folder)
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
        #expect(result.outputLines.last == "gold.monthly 1", "\(result.output)\n\(result.errors)")
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

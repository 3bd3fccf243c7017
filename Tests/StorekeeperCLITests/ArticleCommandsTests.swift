import Foundation
import StorekeeperTesting
import Testing

/// Runs the commands of articles that have no test of their own, in order.
@Suite("The commands of articles", .system, .timeLimit(.minutes(20))) struct ArticleCommandsTests {
    /// Copies the catalogs and the root of the example customers into a folder.
    private func folder(root: String) throws -> Folder {
        let folder = try Folder()
        let configuration = CompanionFolder.repository.appending(path: "Configuration")
        for (name, copy) in [
            ("Store.storekit", "Store.storekit"), ("Products.json", "Products.json"), ("evidence/root.pem", root),
        ] {
            try FileManager.default.copyItem(
                at: configuration.appending(path: name), to: folder.url.appending(path: copy))
        }
        return folder
    }

    /// Runs lines in a shell.
    ///
    /// An unused port replaces `8080` in the lines.
    private func type(_ lines: [String], in folder: Folder) throws -> Program.Result {
        let port = "\(try Guide.freePorts(1)[0])"
        let result = try Guide.type(
            [#"PATH="$(dirname "$program"):$PATH""#] + lines.map { $0.replacing("8080", with: port) }, in: folder)
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
        #expect(!result.errors.contains("storekeeper: error"), "\(result.errors)")
        return result
    }

    @Test("Running the service")
    func service() throws {
        let guide = try Guide("Sources/StorekeeperCompanion/Documentation.docc/RunningTheService.md")
        let folder = try folder(root: "AppleRootCA-G3.cer")
        try folder.write(try #require(guide.blocks(of: "yaml").first), to: "storekeeper.yaml")
        let block = try #require(guide.blocks(of: "sh").first).trimmingCharacters(in: .newlines)
        try #require(block.hasSuffix("\nstorekeeper serve"))
        try folder.write(
            try Guide.replace("8080", with: "\(try Guide.freePorts(1)[0])", in: guide.blocks(of: "yaml")[0]),
            to: "storekeeper.yaml")
        let port = try #require(
            try String(contentsOf: folder.url.appending(path: "storekeeper.yaml"), encoding: .utf8)
                .firstMatch(of: #/port: (\d+)/#)?.1)
        let result = try type(
            [
                "\(block) &", "curl -s --fail --retry 9 --retry-connrefused http://127.0.0.1:\(port)/health/ready",
                "curl -s --fail http://127.0.0.1:\(port)/.well-known/jwks.json",
            ], in: folder)
        #expect(result.output.contains(#""keys":"#), "\(result.output)")
    }

    @Test("Serving the App Store")
    func appStore() throws {
        let guide = try Guide("Sources/StorekeeperSimulator/Documentation.docc/ServingTheAppStore.md")
        var blocks = guide.blocks(of: "sh").map { $0.trimmingCharacters(in: .newlines) }
        try #require(blocks.count == 6 && blocks[0].hasPrefix("storekeeper local-app-store Configuration/"))
        blocks[0] = blocks[0].replacing("Configuration/", with: "") + " &"
        let result = try type(
            [
                blocks[0],
                "curl -s --fail --retry 9 --retry-connrefused -o overview.json http://127.0.0.1:8080/local/v1",
            ] + blocks.dropFirst().map { try Guide.replace("curl ", with: "curl -s --fail ", in: $0) },
            in: try folder(root: "unused.pem"))
        #expect(result.output.contains(#""transactionID":"#), "\(result.output)")
    }

    @Test("Answering tickets, with a local App Store in Apple's place")
    func desk() throws {
        let guide = try Guide("Sources/StorekeeperCompanion/Documentation.docc/AnsweringTickets.md")
        let blocks = guide.blocks(of: "sh").map { $0.trimmingCharacters(in: .newlines) }
        try #require(blocks.count == 2)
        let other = "\(try Guide.freePorts(1)[0])"
        let curl = "curl -s --retry 9 --retry-connrefused -u any:$KEY"
        let result = try type(
            [
                blocks[0], "ORDER=$(\(blocks[1]) | grep -o 'M[0-9A-Z]*')",
                "\(curl) -o page.html -w 'found %{redirect_url}\\n' \"http://127.0.0.1:8080/desk?search=$ORDER\"",
                "curl -s --fail -o refunded.json -H 'Content-Type: application/json' "
                    + "-d '{\"step\": \"refund gold.monthly by customer\"}' http://127.0.0.1:9000/local/v1/steps",
                "\(curl) --fail -o fetched.html -H 'Origin: http://127.0.0.1:8080' -d customer=anna "
                    + "http://127.0.0.1:8080/desk/fetches",
                "storekeeper check gold.monthly --vault customers.sqlite --customer anna || echo \"status $?\"",
                "storekeeper reconcile --server http://127.0.0.1:9000",
            ].map { $0.replacing("9000", with: other) }, in: try folder(root: "unused.pem"))
        #expect(result.output.contains(/found .*customer=anna/), "\(result.output)")
        #expect(result.output.contains("lapsed (refunded)") && result.output.contains("status 1"), "\(result.output)")
    }

    @Test("Apple's root certificate, without the network")
    func rootCertificate() throws {
        let guide = try Guide("Sources/StorekeeperJWS/Documentation.docc/AppleRootCertificate.md")
        let block = try #require(guide.blocks(of: "sh").first)
        let folder = try folder(root: "other.pem")
        let result = try type(
            [
                // Replaces the download by a conversion of a local certificate.
                "curl() { openssl x509 -in other.pem -outform der -out \"${2##*/}\"; }", block,
            ], in: folder)
        #expect(result.output.contains(/sha256 Fingerprint=[0-9A-F:]{95}/.ignoresCase()), "\(result.output)")
    }
}

import Foundation
import StorekeeperTesting
import Testing

/// Runs the commands of the article "From a key to a check", in order, in an empty folder, with a local App
/// Store instead of Apple.
@Suite("From a key to a check", .system, .timeLimit(.minutes(20))) struct KeyToCheckTests {
    private let guide: Guide
    private let folder: Folder
    /// The ports of the service, of the local App Store, and of another App Store.
    private let ports: [String]

    init() throws {
        guide = try Guide("Sources/StorekeeperAppStore/Documentation.docc/FromAKeyToACheck.md")
        folder = try Folder()
        ports = try Guide.freePorts(3).map(String.init)
        try folder.write(
            try Guide.replace(
                "AppleRootCA-G3.cer", with: "local-root.pem", in: try #require(guide.blocks(of: "yaml").first)),
            to: "storekeeper.yaml")
        try folder.write(try #require(guide.blocks(of: "json").first), to: "Products.json")
        try FileManager.default.copyItem(
            at: CompanionFolder.repository.appending(path: "Configuration/Store.storekit"),
            to: folder.url.appending(path: "Store.storekit"))
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "Downloads"), withIntermediateDirectories: true)
    }

    @Test("The commands give the right balance, an accepted notification, and a refused one explained in the log")
    func steps() throws {
        let blocks = guide.blocks(of: "sh")
        try #require(blocks.count == 8)
        let id = #"$(grep -o '"transactionID":"[0-9]*"' bought.json | head -1 | grep -o '[0-9]*')"#
        let buy = try Guide.replace("local/v1/steps\n", with: "local/v1/steps >bought.json\n", in: blocks[6])
        let fetch = try Guide.replace("2000000123456789", with: id, in: blocks[3])
        let lines = [
            #"PATH="$(dirname "$program"):$PATH""#, buy, blocks[0], blocks[1], blocks[2],
            try Guide.replace(
                "check gold.monthly --customer anna", with: "check gold.monthly --customer anna --at 2026-01-02",
                in: fetch),
            blocks[4], blocks[5], "echo; echo == refund", blocks[7], "echo == other", otherStore,
        ]
        let typed = try Guide.type(lines.map(localized), in: folder)
        #expect(typed.status == 0, "\(typed.output)\n\(typed.errors)")

        let reports = typed.output.components(separatedBy: "== doctor\n").dropFirst()
        let expected = [
            ["app", "root"], ["key", "key file", "key ids", "server", "clock", "token"],
            ["vault", "vault file", "disk", "integrity"], ["notifications"],
        ]
        #expect(reports.count == expected.count)
        for (report, checks) in zip(reports, expected) {
            for check in checks {
                let isFine = report.split(separator: "\n").contains {
                    $0.hasPrefix("ok") && $0.dropFirst(2).drop { $0 == " " }.hasPrefix(check + " ")
                }
                #expect(isFine, "\(check): \(report)")
            }
        }
        #expect(reports.last?.contains("== status 0") == true, "\(reports.last ?? "")")

        // Two packs of coins were fetched, and a notification reported the refund of one pack.
        let parts = typed.output.components(separatedBy: "== refund\n")
        #expect(parts[0].contains("entitled (active) until 2026-01-08"), "\(parts[0])")
        #expect(parts[0].contains(/\ncoins +1000\n/), "\(parts[0])")
        #expect(parts[0].contains(#""balance":1000"#), "\(parts[0])")
        #expect(parts[1].contains(/\ncoins +500\n/), "\(parts[1])")
        expectReason(of: "untrustedChain", in: typed.errors)
    }

    /// An App Store with another root, which posts to the same service.
    private let otherStore = """
        storekeeper local-app-store Store.storekit --port 8082 --webhook http://127.0.0.1:8080/apple/notifications &
        curl -s --retry 9 --retry-connrefused -H 'Content-Type: application/json' \\
            -d '{"step": "buy gold.monthly by customer"}' http://127.0.0.1:8082/local/v1/steps
        """

    /// Expects that the log of the service contains the reason for refusing a notification.
    private func expectReason(of code: String, in log: String) {
        let line = log.split(separator: "\n").first { $0.contains(" warning ") && $0.contains(code) }
        #expect(line?.contains("SUBSCRIBED") == true && line?.contains("Sandbox") == true, "\(log)")
    }

    /// Returns commands in which the local App Store replaces Apple's servers, with free ports.
    private func localized(_ text: String) -> String {
        let server = "--server http://127.0.0.1:8081"
        return text.replacing(
            "storekeeper doctor\n",
            with: "echo '== doctor'; status=0; storekeeper doctor \(server) || status=$?; echo \"== status $status\"\n"
        )
        .replacing("storekeeper fetch ", with: "storekeeper fetch \(server) ")
        .replacing("8080", with: ports[0]).replacing("8081", with: ports[1]).replacing("8082", with: ports[2])
    }
}

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of stories that a local App Store saves as tests.
///
/// Each saved test is run in the folder to which it is saved.
@Suite(.system, .timeLimit(.minutes(5))) struct SavedTestTests {
    /// Starts a local App Store with a story: a customer buys, time passes, and the purchase is refunded.
    ///
    /// Another customer buys coins, and a purchase is refused.
    private static func serve(in folder: Folder, isRefused: Bool = true) async throws -> ServedProcess {
        let catalogs = CompanionFolder.repository.appending(path: "Configuration")
        for name in ["Store.storekit", "Products.json"] {
            let text = try String(contentsOf: catalogs.appending(path: name), encoding: .utf8)
            try folder.write(text, to: "catalogs/\(name)")
        }
        try folder.write(
            """
            story: "A month: it's \\"gold\\""
            catalog: [../catalogs/Store.storekit, ../catalogs/Products.json]
            people: [anna, "Bert O'Neil"]
            steps: []
            """, to: "scenarios/gold.yaml")
        let store = try ServedProcess(["scenarios/gold.yaml"], in: folder)
        let refused = ["set fail transactions 3", "buy coins.500 by anna", "set fail transactions no"]
        for step in [
            "buy gold.monthly by anna", "buy coins.100 by Bert O'Neil quantity 2", "advance 40 days",
            "buy gold.monthly by Bert O'Neil",
        ] + (isRefused ? refused : []) + ["refund gold.monthly by anna", "advance 1 day"] {
            try await store.step(step)
        }
        return store
    }

    /// Returns all expectations that the store lists about the customers at the end of the story.
    private static func expectations(_ store: ServedProcess) async throws -> [String] {
        var texts: [String] = []
        for person in ["anna", "Bert%20O'Neil"] {
            let list = try await store.get("/local/v1/people/\(person)/expectations").object?["expectations"]
            texts += list?.array?.compactMap(\.string) ?? []
        }
        return texts
    }

    /// Saves the story as a test, and returns the HTTP status and the name of the file in the response.
    @discardableResult
    private static func save(
        _ format: String, _ expectations: [String], from store: ServedProcess, in folder: Folder
    ) async throws -> (status: Int, name: String) {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let query =
            (["format=\(format)"]
            + expectations.map { "expect=\($0.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" })
            .joined(separator: "&")
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: "\(store.url)/local/v1/scenario?\(query)"), timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 16 << 20)
        let name = response.headers.first(name: "content-disposition")?.split(separator: "\"").last.map(String.init)
        try Data(body.readableBytesView).write(to: folder.url.appending(path: name ?? "answer"))
        return (Int(response.status.code), name ?? "answer")
    }

    private static func run(_ command: String, in folder: Folder) throws -> Program.Result {
        try Program.type("PATH=\"$(dirname \"$program\"):$PATH\"\n\(command)", in: folder)
    }

    /// The formats of a saved test that the tests below run, each with the command that runs it.
    private static let formats = [
        ("file", "storekeeper simulate a-month-it-s-gold.yaml"),
        ("folder", "tar xf a-month-it-s-gold.tar && rm *.tar && storekeeper simulate a-month-it-s-gold"),
        ("python", "python3 test_a_month_it_s_gold.py"), ("curl", "bash a-month-it-s-gold.sh"),
    ]

    @Test("A saved test passes in an empty folder, with everything that is true ticked", arguments: formats)
    func passes(format: String, command: String) async throws {
        let (home, place) = (try Folder(), try Folder())
        let store = try await Self.serve(in: home)
        let expectations = try await Self.expectations(store)
        for text in [
            "lapsed gold.monthly because refunded for anna", "balance coins 200 for Bert O'Neil",
            "state Membership subscribed for Bert O'Neil",
        ] { #expect(expectations.contains(text), "\(expectations)") }
        #expect(expectations.contains { $0.hasPrefix("signed transaction offerType 1 ") }, "\(expectations)")
        #expect(expectations.contains { $0.hasPrefix("signed renewal autoRenewStatus 1 ") }, "\(expectations)")
        let saved = try await Self.save(format, expectations, from: store, in: place)
        #expect(saved.status == 200)
        // The store ends before the saved test runs, because the test must not need it.
        _ = store.end(SIGTERM)
        let result = try Self.run(command, in: place)
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
        if format == "python" { #expect(result.errors.contains("OK"), "\(result.errors)") }
        if format == "curl" { #expect(result.outputLines.count == expectations.count, "\(result.output)") }
    }

    @Test("A saved test fails if an answer differs, and if the refund is left out", arguments: formats)
    func fails(format: String, command: String) async throws {
        let (home, place) = (try Folder(), try Folder())
        let store = try await Self.serve(in: home)
        let lapsed = "lapsed gold.monthly because refunded for anna"
        let revoked = try #require(
            try await Self.expectations(store).first { $0.hasPrefix("signed transaction revocationReason") })
        let name = try await Self.save(format, [lapsed, revoked], from: store, in: place).name
        _ = store.end(SIGTERM)
        if format == "folder" { _ = try Self.run("tar xf \(name)", in: place) }
        let command = command.replacing("tar xf a-month-it-s-gold.tar && rm *.tar && ", with: "")
        let file = place.url.appending(path: format == "folder" ? "a-month-it-s-gold/scenario.yaml" : name)
        let text = try String(contentsOf: file, encoding: .utf8)
        let refund = text.replacing(#/ {2}- refund: .*\n( {4}\w.*\n)*/#, with: "")
        for changed in [
            text.replacing("lapsed gold.monthly because refunded", with: "entitled gold.monthly because active"),
            text.replacing("revocationReason: 0", with: "revocationReason: 1")
                .replacing("\"revocationReason\": 0", with: "\"revocationReason\": 1")
                .replacing("\"revocationReason\":0", with: "\"revocationReason\":1"),
            refund,
        ] {
            #expect(changed != text)
            try changed.write(to: file, atomically: true, encoding: .utf8)
            let result = try Self.run(command, in: place)
            #expect(result.status == 1, "\(result.output)\n\(result.errors)")
        }
        try text.write(to: file, atomically: true, encoding: .utf8)
        #expect(try Self.run(command, in: place).status == 0)
    }

    @Test(
        "A test that cannot be saved is refused with the reason",
        arguments: [
            (
                "file", ["entitled gold.monthly because active for anna"], 422,
                "found lapsed gold.monthly because refunded"
            ),
            ("file", ["entitled gold.monthly for nobody"], 400, "there is no person 'nobody'"),
            ("file", ["entitled platinum for anna"], 400, "the catalog has no 'platinum'"),
            ("novel", [], 400, "'format' must be one of scenario, file, folder, swift, python, curl"),
            (
                "python", ["offer gold.monthly introductory ineligible for anna"], 422,
                "not in its list of expectations"
            ),
        ])
    func refusals(format: String, expectations: [String], status: Int, words: String) async throws {
        let (home, place) = (try Folder(), try Folder())
        let store = try await Self.serve(in: home)
        #expect(try await Self.save(format, expectations, from: store, in: place).status == status)
        let answer = try String(contentsOf: place.url.appending(path: "answer"), encoding: .utf8)
        #expect(answer.contains(words), "\(answer)")
    }

    @Test("A state file of a store whose scenario contains its catalogs continues")
    func state() async throws {
        let (home, place) = (try Folder(), try Folder())
        let store = try await Self.serve(in: home, isRefused: false)
        let name = try await Self.save("file", [], from: store, in: place).name
        _ = store.end(SIGTERM)
        let first = try ServedProcess([name, "--state", "state.yaml"], in: place)
        try await first.step("buy coins.100 by anna")
        let before = try await first.get("/local/v1/transactions")
        _ = first.end(SIGTERM)
        try FileManager.default.removeItem(at: place.url.appending(path: name))
        let second = try ServedProcess(["--state", "state.yaml"], in: place)
        let after = try await second.get("/local/v1/transactions")
        #expect(after.object?["transactions"]?.sourceText.count == before.object?["transactions"]?.sourceText.count)
        let again = try await Self.save("file", [], from: second, in: place).name
        let answer = try String(contentsOf: place.url.appending(path: again), encoding: .utf8)
        #expect(answer.contains("catalog files:\n  state.yaml.catalog-1: |\n"), "\(answer)")
        _ = second.end(SIGTERM)
    }
}

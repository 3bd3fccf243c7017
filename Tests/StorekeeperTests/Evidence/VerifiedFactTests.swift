import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Facts come from verifiers")
struct VerifiedFactTests {
    private static let draft = TransactionDraft(id: "1", productID: "coins", type: .consumable, purchasedAt: .day(0))

    @Test("Only a text that the verifier accepts becomes a fact")
    func verifying() throws {
        let text = Self.draft.fakeJWS
        #expect(VerifiedFact(text, verifiedBy: DraftVerifier())?.jwsRepresentation == text)
        #expect(VerifiedFact(text + "A", verifiedBy: DraftVerifier()) == nil)
        #expect(VerifiedFact("", verifiedBy: DraftVerifier()) == nil)
    }

    @Test("A notification becomes a fact if it has a status, and an app transaction if it has an id")
    func otherEvidence() throws {
        let month = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let status = NotificationDraft(status: 4, of: month, signedAt: .day(31))
        #expect(try status.verifiedFact().notification?.type == "DID_FAIL_TO_RENEW")
        let app = AppTransactionDraft(signedAt: .day(5))
        #expect(try app.verifiedFact().appTransaction?.originalAppVersion == "1.0")
        let others = [
            with(status) { $0.status = nil }.fakeJWS, with(app) { $0.appTransactionID = nil }.fakeJWS,
        ]
        for text in others {
            #expect(DraftVerifier().verify(text).error == nil)
            #expect(VerifiedFact(text, verifiedBy: DraftVerifier()) == nil)
        }
    }

    @Test("The result of verifying another text does not become a fact")
    func anotherText() {
        struct WrongResultVerifier: TransactionVerifier {
            let environments: Set<AppStore.Environment> = [.production]
            let text: String
            func verify(_ jws: String) -> CheckedEvidence { DraftVerifier().verify(text) }
        }
        let (text, other) = (Self.draft.fakeJWS, RenewalInfoDraft(for: Self.draft).fakeJWS)
        #expect(VerifiedFact(text, verifiedBy: WrongResultVerifier(text: text)) != nil)
        #expect(VerifiedFact(text, verifiedBy: WrongResultVerifier(text: other)) == nil)
    }

    /// Expressions that would make a fact from evidence that the verifier refused.
    private static let bypasses = [
        "VerifiedFact(.transaction(.verified(result.unsafePayloadValue)))",
        "VerifiedFact(CheckedEvidence.transaction(.verified(result.unsafePayloadValue)))",
        "CompactJWS(text).flatMap { try? VerifiedFact(stored: $0) }",
        "CompactJWS(text).flatMap { try? VerifiedFact(restoring: $0) }",
    ]

    @Test("Outside the package, the compiler refuses to create a fact from unverified evidence", arguments: bypasses)
    func bypass(_ expression: String) throws {
        // The same file with a permitted expression compiles. So an error in the second file can only be caused by its
        // expression.
        #expect(try Compiler.errors(in: Self.client("VerifiedFact(text, verifiedBy: verifier)")) == "")
        let errors = try Compiler.errors(in: Self.client(expression)).split(separator: "\n")
            .filter { $0.contains("client.swift:") && $0.contains(" error: ") }
        #expect(errors.allSatisfy { $0.contains("client.swift:6:") }, "\(errors)")
        #expect(errors.contains { $0.contains("missing argument for parameter 'verifiedBy'") }, "\(errors)")
    }

    private static func client(_ expression: String) -> String {
        """
        import Storekeeper
        import StorekeeperEngine

        func fact(of text: String, by verifier: some TransactionVerifier) -> VerifiedFact? {
            guard case .transaction(let result) = verifier.verify(text), result.error != nil else { return nil }
            return \(expression)
        }
        """
    }
}

/// Runs the Swift compiler on files outside of the package.
private enum Compiler {
    /// Returns the errors and warnings of a file that imports the modules of this build; empty if it compiles.
    static func errors(in source: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "storekeeper-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "client.swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-I", try modules().path, file.path]
        process.standardError = output
        try process.run()
        let errors = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require((process.terminationStatus == 0) == errors.isEmpty, "\(String(decoding: errors, as: UTF8.self))")
        return String(decoding: errors, as: UTF8.self)
    }

    /// Returns the folder of the modules that the tests were built with.
    private static func modules() throws -> URL {
        let starts = [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL]
        let folders = starts.flatMap { sequence(first: $0) { $0.deletingLastPathComponent() }.prefix(4) }
            .map { $0.appending(path: "Modules") }
        return try #require(
            folders.first {
                FileManager.default.fileExists(atPath: $0.appending(path: "Storekeeper.swiftmodule").path)
            },
            "the modules are not next to the tests")
    }
}

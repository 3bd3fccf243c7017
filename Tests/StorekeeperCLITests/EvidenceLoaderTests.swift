import ArgumentParser
import Foundation
import Storekeeper
import Testing

@testable import StorekeeperCLI

struct EvidenceLoaderTests {
    private let folder: Folder
    private let evidence: Evidence

    init() throws {
        folder = try Folder()
        evidence = try Evidence()
        try folder.write(evidence.rootPEM, to: "root.pem")
    }

    private final class Memory {
        var bytes: [UInt8] = []
        var lines: [String] { String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) }
    }

    private struct Outcome {
        var loaded: LoadedEvidence
        var warnings: [String]
    }

    private func load(_ lines: [String], _ arguments: [String] = [], hasRoot: Bool = true) async throws -> Outcome {
        try folder.write(lines.joined(separator: "\n"), to: "evidence")
        let errors = Memory()
        let console = Console(
            output: TextOutput { _ in }, errors: TextOutput { errors.bytes += $0 }, environment: [:],
            now: .distantPast)
        // An empty configuration is passed, so that a configuration in the working directory has no effect.
        try folder.write("", to: "none.yaml")
        let root = hasRoot ? ["--root", folder.url.path + "/root.pem"] : []
        let options = try EvidenceOptions.parse(["--config", folder.url.path + "/none.yaml"] + root + arguments)
        let loader = EvidenceLoader(
            settings: try Settings(options, on: console), catalog: .empty, console: console)
        let path = folder.url.path + "/evidence"
        let loaded = try await loader.load([path])
        errors.bytes = []
        let again = try await loader.load([path])
        console.errors.flush()
        #expect(again.items == loaded.items)
        let warnings = errors.lines.map { $0.replacing(path, with: "FILE") }
        return Outcome(loaded: loaded, warnings: Array(warnings.suffix(warnings.count / 2)))
    }

    @Test("Facts count in any position, and failures are named with file and line")
    func mixed() async throws {
        let notification = try evidence.notification(
            transaction: evidence.transaction("3000"), renewalInfo: evidence.renewalInfo())
        let outcome = try await load([
            evidence.transaction(), notification, "garbage", evidence.transaction(environment: "Sandbox"),
            evidence.tampered(), Evidence.transactionPayload("1", product: "silver"),
        ])
        let loaded = outcome.loaded
        #expect(loaded.transactions.map(\.id.rawValue) == ["2000", "3000"])
        #expect(loaded.renewalInfos.count == 1)
        #expect((loaded.items, loaded.evidenceCounts.counted) == (6, 2))
        #expect(loaded.evidenceCounts.failures.map(\.code) == ["invalidSignature", "malformed", "unsignedEvidence"])
        #expect(loaded.evidenceCounts.refused.map(\.count) == [1])
        #expect(loaded.failures.map(\.line) == [3, 4, 5, 6])
        #expect(loaded.unverifiedProductIDs == ["gold.monthly", "silver"])
        #expect(loaded.refusal == nil)
        #expect(!loaded.isVerified)
        #expect(
            outcome.warnings.first
                == "storekeeper: warning: malformed: the text is not three segments joined by dots (a compact JWS) "
                + "(FILE:3)")
        #expect(outcome.warnings.count == 4)
        #expect(
            loaded.diagnostics.map { "\($0.code.rawValue) \($0.subject ?? "-")" } == [
                "bundleNotChecked com.example.game", "environmentRefused gold.monthly",
                "unverifiedEvidence invalidSignature",
                "unverifiedEvidence malformed", "unverifiedEvidence unsignedEvidence",
            ])
    }

    @Test("Evidence permits no answer with 65 if everything is malformed, and with 77 if nothing is verified")
    func refusals() async throws {
        func status(_ lines: [String], _ arguments: [String] = []) async throws -> StorekeeperCLI.ExitStatus? {
            try await load(lines, arguments).loaded.refusal?.status
        }
        #expect(try await status([]) == nil)
        #expect(try await status(["x", "{}"]) == .malformedInput)
        #expect(try await status(["x"], ["--unsigned"]) == .malformedInput)
        #expect(try await status([evidence.tampered(), "x"]) == .refused)
        #expect(try await status([evidence.tampered()], ["--unsigned"]) == nil)
        #expect(try await status([Evidence.transactionPayload()]) == .refused)
        #expect(try await status([evidence.transaction(environment: "Sandbox")]) == nil)
        #expect(try await status([evidence.transaction(environment: "Sandbox"), "x"]) == .refused)
        #expect(try await status([evidence.tampered(), evidence.transaction()]) == nil)
    }

    @Test("Evidence of two apps ends with 65 unless the app is named")
    func severalApps() async throws {
        let lines = try [
            evidence.transaction(), evidence.sign(Evidence.transactionPayload("9", bundleID: "com.example.other")),
        ]
        await #expect {
            _ = try await load(lines)
        } throws: { error in
            (error as? CommandError)?.status == .malformedInput
        }
        let named = try await load(lines, ["--bundle-id", "com.example.game"])
        #expect(named.loaded.transactions.count == 1)
        #expect(!named.loaded.diagnostics.contains { $0.code == .bundleNotChecked })
    }

    @Test("Unsigned payloads count with --unsigned, after the same comparison of app and environment")
    func unsigned() async throws {
        let lines = [
            Evidence.transactionPayload(), Evidence.transactionPayload("1", environment: "Sandbox"),
            Evidence.transactionPayload("2", bundleID: "com.other"), Evidence.renewalPayload,
            #"{"transactionId":"3"}"#,
        ]
        let loaded = try await load(lines, ["--unsigned", "--bundle-id", "com.example.game"], hasRoot: false).loaded
        #expect(loaded.transactions.map(\.id.rawValue) == ["2000"])
        #expect(loaded.renewalInfos.count == 1)
        #expect(!loaded.isSigned && !loaded.isVerified)
        #expect(loaded.failures.map(\.error.code) == [.environmentRefused, .bundleMismatch, .malformed])
    }

    @Test("With --unsigned a JWS is decoded without a root, and verified with one")
    func unsignedSignatures() async throws {
        let notification = try evidence.notification(
            transaction: evidence.tampered(), renewalInfo: evidence.renewalInfo())
        let lines = try [evidence.tampered(), evidence.transaction(environment: "Sandbox"), notification]
        let decoded = try await load(lines, ["--unsigned"], hasRoot: false).loaded
        #expect(decoded.transactions.map(\.id.rawValue) == ["9999", "9999"])
        #expect(decoded.renewalInfos.count == 1)
        #expect(decoded.failures.map(\.error.code) == [.environmentRefused])
        let verified = try await load(lines, ["--unsigned"]).loaded
        #expect(verified.transactions.isEmpty)
        #expect(verified.failures.map(\.error.code) == [.invalidSignature, .environmentRefused, .invalidSignature])
    }

    @Test("After ten equal failures only their number is reported, as for those of one item")
    func manyFailures() async throws {
        let outcome = try await load((0..<25).map { "x\($0)" })
        #expect(outcome.warnings.count == 11)
        #expect(
            outcome.warnings.last
                == "storekeeper: warning: malformed: the text is not three segments joined by dots (a compact JWS) "
                + "(FILE, 15 more times)")
        let one = try await load([#"["a","b","c"]"#, "d"])
        #expect(one.warnings.count == 2)
        #expect(one.warnings.first?.hasSuffix("(FILE:1, 3 times)") == true)
        #expect(one.warnings.last?.hasSuffix("(FILE:2)") == true)
    }
}

public import Storekeeper
public import Testing

/// Checks that an implementation obeys the laws of ``/StorekeeperEngine/TransactionVerifier``.
///
/// ```swift
/// await VerifierConformance(genuine: [jws]) { MyVerifier() }.run()
/// ```
public struct VerifierConformance<Verifier: TransactionVerifier>: Sendable {
    private let genuine: [String]
    private let make: @Sendable () async throws -> Verifier
    private let report: ConformanceReport

    /// Creates the suite.
    ///
    /// - Parameters:
    ///   - genuine: At least one compact JWS that the verifier accepts.
    ///   - sourceLocation: The source location for recorded issues.
    ///   - make: Creates the verifier.
    public init(
        genuine: [String], sourceLocation: SourceLocation = #_sourceLocation,
        make: @escaping @Sendable () async throws -> Verifier
    ) {
        self.genuine = genuine
        self.make = make
        report = ConformanceReport(port: "TransactionVerifier", location: sourceLocation)
    }

    /// Checks all laws, and records an issue for each violation.
    public func run() async {
        do {
            let verifier = try await make()
            report.check(!genuine.isEmpty, "genuine evidence is accepted", "the check needs at least one item")
            for (index, text) in genuine.enumerated() { check(text, at: index, with: verifier) }
            for text in ["", ".", "..", "a.b.c", "{}", String(repeating: "A", count: 100_000), "\u{0}.\u{0}.\u{0}"] {
                report.check(
                    verifier.verify(text).error != nil, "text that is not evidence is refused",
                    "a meaningless text was accepted")
            }
            await checkConcurrency(verifier)
        } catch {
            report.fail("genuine evidence is accepted", "the verifier could not be made: \(error)")
        }
    }

    private func check(_ text: String, at index: Int, with verifier: Verifier) {
        report.check(
            verifier.verify(text).error == nil, "genuine evidence is accepted",
            "item \(index): \(verifier.verify(text).error.map(\.description) ?? "")")
        let evidence = verifier.verify(text)
        report.check(
            VerifiedFact(evidence) == nil || VerifiedFact(text, verifiedBy: verifier) != nil,
            "a fact keeps its original text", "item \(index)")
        // Some characters of the header, the payload and the signature are changed. The last character of a segment may
        // have unused bits. A strict reader also refuses a change of these bits.
        let bytes = Array(text.utf8)
        for position in stride(from: 0, to: bytes.count, by: max(bytes.count / 64, 1)) {
            var tampered = bytes
            tampered[position] = bytes[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            report.check(
                verifier.verify(String(decoding: tampered, as: UTF8.self)).error != nil,
                "evidence with any changed byte is refused", "item \(index), byte \(position)")
        }
    }

    private func checkConcurrency(_ verifier: Verifier) async {
        let texts = genuine
        let isSteady = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { texts.allSatisfy { verifier.verify($0).error == nil } } }
            return await group.reduce(true) { $0 && $1 }
        }
        report.check(isSteady, "many tasks can verify concurrently", "genuine evidence was refused")
    }
}

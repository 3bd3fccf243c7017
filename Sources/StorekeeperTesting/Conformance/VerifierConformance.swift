public import Storekeeper
public import Testing

/// The laws of a ``/StorekeeperEngine/TransactionVerifier``, to be run on any implementation.
///
/// ```swift
/// await VerifierConformance(genuine: [jws]) { MyVerifier() }.run()
/// ```
public struct VerifierConformance<Verifier: TransactionVerifier>: Sendable {
    private let genuine: [String]
    private let make: @Sendable () async throws -> Verifier
    private let report: ConformanceReport

    /// Makes the suite.
    ///
    /// - Parameters:
    ///   - genuine: Compact JWS that the verifier believes, at least one.
    ///   - sourceLocation: Where to record what is broken.
    ///   - make: Makes the verifier.
    public init(
        genuine: [String], sourceLocation: SourceLocation = #_sourceLocation,
        make: @escaping @Sendable () async throws -> Verifier
    ) {
        self.genuine = genuine
        self.make = make
        report = ConformanceReport(port: "TransactionVerifier", location: sourceLocation)
    }

    /// Checks all laws and records an issue for each that is broken.
    public func run() async {
        do {
            let verifier = try await make()
            report.check(!genuine.isEmpty, "genuine evidence is believed", "there is none to check with")
            for (index, text) in genuine.enumerated() { check(text, at: index, with: verifier) }
            for text in ["", ".", "..", "a.b.c", "{}", String(repeating: "A", count: 100_000), "\u{0}.\u{0}.\u{0}"] {
                report.check(
                    verifier.verify(text).error != nil, "what is no evidence is not believed", "a text of no sense is")
            }
            await checkConcurrency(verifier)
        } catch {
            report.fail("genuine evidence is believed", "the verifier could not be made: \(error)")
        }
    }

    private func check(_ text: String, at index: Int, with verifier: Verifier) {
        report.check(
            verifier.verify(text).error == nil, "genuine evidence is believed",
            "item \(index): \(verifier.verify(text).error.map(\.description) ?? "")")
        let fact = VerifiedFact(verifier.verify(text))
        report.check(
            fact.map { $0.jws.compact == text } ?? true, "a fact keeps the text it came in", "item \(index)")
        // Some of the characters, spread over header, payload and signature. The last of a segment may carry bits
        // that mean nothing, which a strict reader refuses, too.
        let bytes = Array(text.utf8)
        for position in stride(from: 0, to: bytes.count, by: max(bytes.count / 64, 1)) {
            var tampered = bytes
            tampered[position] = bytes[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            report.check(
                verifier.verify(String(decoding: tampered, as: UTF8.self)).error != nil,
                "tampering with any byte makes evidence unverified", "item \(index), byte \(position)")
        }
    }

    private func checkConcurrency(_ verifier: Verifier) async {
        let texts = genuine
        let isSteady = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { texts.allSatisfy { verifier.verify($0).error == nil } } }
            return await group.reduce(true) { $0 && $1 }
        }
        report.check(isSteady, "many tasks may ask at once", "genuine evidence was refused")
    }
}

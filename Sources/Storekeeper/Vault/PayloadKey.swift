/// The identity of a piece of evidence: the signed payload, as base64url text in ASCII.
package struct PayloadKey: Hashable, Sendable {
    package let text: [UInt8]

    /// Creates the key of a fact.
    package init(_ fact: VerifiedFact) { text = fact.jws.payload }

    /// Hashes the text in one piece, which is much faster than byte by byte.
    package func hash(into hasher: inout Hasher) { text.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

public import Storekeeper

/// Decodes evidence at whose signature nobody looks: for measurements, and for tests of what is told by payloads.
public enum UnverifiedEvidence: Sendable {
    /// Decodes a transaction.
    ///
    /// - Throws: An error that says what is wrong, where the text holds no transaction.
    public static func transaction(in jws: CompactJWS) throws -> Transaction {
        guard let payload = jws.payloadContent else {
            throw VerificationError(.malformed, "the payload is not base64url")
        }
        let document = try JSONReader().read(payload)
        guard EvidenceKind(payload: document.root) == .transaction else {
            throw VerificationError(.malformed, "the payload is no transaction")
        }
        return try Transaction(payload: document.root, source: .signed(jws))
    }
}

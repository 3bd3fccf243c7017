public import Storekeeper

/// Decodes evidence without verifying its signature, for measurements and for tests of payloads.
public enum UnverifiedEvidence: Sendable {
    /// Decodes a transaction.
    ///
    /// - Throws: An error with the reason if the text does not contain a transaction.
    public static func transaction(in jws: CompactJWS) throws -> Transaction {
        guard let payload = jws.payloadContent else {
            throw VerificationError(.malformed, "the payload is not base64url")
        }
        let document = try JSONReader().read(payload)
        guard EvidenceKind(payload: document.root) == .transaction else {
            throw VerificationError(.malformed, "the payload is not a transaction")
        }
        return try Transaction(payload: document.root, source: .signed(jws))
    }
}

extension VerifiedFact {
    /// Restores a stored fact.
    ///
    /// Only implementations of ``Vault`` use this initializer. The signature is not verified again, because only
    /// verified evidence is stored in a vault. ``VaultAudit`` verifies all signatures on request.
    ///
    /// - Throws: ``VaultError`` with `corrupt` if the payload is no evidence that a vault stores.
    package init(restoring jws: CompactJWS) throws(VaultError) {
        let stored: VerifiedFact?
        do {
            stored = try VerifiedFact(stored: jws)
        } catch {
            throw VaultError(.corrupt, "a stored fact cannot be read: \(error)", cause: error)
        }
        guard let stored else { throw VaultError(.corrupt, "a stored fact is not a JSON payload of the App Store") }
        self = stored
    }
}

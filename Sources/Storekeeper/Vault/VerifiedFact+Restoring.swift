extension VerifiedFact {
    /// Reads back what a vault has stored.
    ///
    /// Only for implementations of ``Vault``: the signature is not checked again, because nothing enters a vault
    /// that was not verified; ``VaultAudit`` checks all of them when asked.
    ///
    /// - Throws: ``VaultError`` with `corrupt` where the payload is no transaction or renewal info.
    package init(restoring jws: CompactJWS) throws(VaultError) {
        let stored: VerifiedFact?
        do {
            stored = try VerifiedFact(stored: jws)
        } catch {
            throw VaultError(.corrupt, "a stored fact cannot be read: \(error)", cause: error)
        }
        guard let stored else { throw VaultError(.corrupt, "a stored fact is no JSON payload of the App Store") }
        self = stored
    }
}

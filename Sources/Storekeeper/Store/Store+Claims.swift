public import FoundationEssentials

/// What came of a claim.
public enum ClaimOutcome: Sendable {
    /// It is the customer's, and what waited for it was taken in.
    case claimed(IntakeReport)
    /// It belongs to another customer; nothing has changed.
    case refused(holder: CustomerID)
}

/// Making purchases the customer's that name nobody.
extension Store {
    /// Makes a chain of purchases the customer's, and takes in what waits for it.
    ///
    /// For purchases without a token: from the App Store's page, by offer code, shared by the family. The first claim
    /// binds, for good. The app has to know that the customer may claim it, for instance because they have shown a
    /// signed transaction of it.
    ///
    /// - Throws: ``VaultError`` where the vault cannot write.
    @discardableResult
    public func claim(_ chain: ChainID) async throws(VaultError) -> ClaimOutcome {
        try await claim(.chain(chain))
    }

    /// Makes a token the customer's, and takes in what waits for it.
    ///
    /// - Parameter token: The app's own name for the customer, as purchases carry it.
    /// - Throws: ``VaultError`` where the vault cannot write.
    @discardableResult
    public func claim(token: UUID) async throws(VaultError) -> ClaimOutcome {
        try await claim(.token(token))
    }

    private func claim(_ subject: BindingSubject) async throws(VaultError) -> ClaimOutcome {
        if let holder = try await vault.claim(subject, for: customer, at: clock.now) {
            return .refused(holder: holder)
        }
        let report = try await adoptParked()
        await deliver(report.owed)
        return .claimed(report)
    }
}

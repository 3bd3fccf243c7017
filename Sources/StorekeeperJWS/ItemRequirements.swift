import StorekeeperEngine

/// The app, environment and kind that a signed item must match once its signature is verified.
struct ItemRequirements: Sendable {
    /// The bundle id of the app; `nil` skips the check.
    var bundleID: String?
    /// The App Store's number for the app; `nil` skips the check.
    var appAppleID: Int64?
    /// The environments that are accepted.
    var environments: Set<AppStore.Environment>
    /// The bundle id of the notification that contains the item; `nil` if the item is not part of a notification.
    var outerBundleID: String?
    /// The only kind that is accepted; `nil` accepts all kinds.
    var kind: EvidenceKind?

    /// Returns the requirements for an item that was signed with a certificate chain.
    ///
    /// An item that was signed with Xcode's certificate must be from the environment Xcode.
    func under(_ chain: VerifiedChain) -> ItemRequirements {
        guard chain.isOfXcode else { return self }
        var requirements = self
        requirements.environments.formIntersection([.xcode])
        return requirements
    }

    /// Returns the first requirement that an item violates, as an error; `nil` if the item matches.
    ///
    /// The order of the checks is part of the command line's contract.
    func fault(in content: EvidencePayload.Content) -> VerificationError? {
        if case .nothing(let undecodable) = content { return undecodable }
        if let kind, content.kind != kind {
            return VerificationError(.malformed, "the payload is not of the kind \(kind.rawValue)")
        }
        switch content {
        case .transaction(let fact):
            return bundleFault(fact.appBundleID) ?? environmentFault(fact.environment)
        case .renewalInfo(let fact):
            // A renewal info does not name an app. It counts only together with a transaction of the same chain, and
            // the transaction names the app.
            return environmentFault(fact.environment)
        case .appTransaction(let fact):
            return bundleFault(fact.bundleID) ?? appFault(fact.appID, fact.environment)
                ?? environmentFault(fact.environment)
        case .notification(let fact):
            guard let id = fact.bundleID else {
                return .bundleMismatch("notification", found: "", expected: bundleID)
            }
            return bundleFault(id) ?? appFault(fact.appAppleID, fact.environment) ?? environmentFault(fact.environment)
        case .nothing: return nil
        }
    }

    private func bundleFault(_ found: String) -> VerificationError? {
        for expected in [bundleID, outerBundleID] {
            // The ids are compared by bytes, because ids that only look the same are different ids.
            if let expected, !expected.utf8.elementsEqual(found.utf8) {
                return .bundleMismatch(found: found, expected: expected)
            }
        }
        return nil
    }

    private func appFault(_ found: Int64?, _ environment: AppStore.Environment) -> VerificationError? {
        guard let appAppleID, environment == .production, found != appAppleID else { return nil }
        return .appMismatch(found: found, expected: appAppleID)
    }

    private func environmentFault(_ found: AppStore.Environment) -> VerificationError? {
        guard !environments.contains(found) else { return nil }
        return VerificationError(.environmentRefused, "items of the environment \(found.rawValue) are not accepted")
    }
}

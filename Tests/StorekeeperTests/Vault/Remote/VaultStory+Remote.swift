import StorekeeperTesting

@testable import Storekeeper

extension VaultStory.Step {
    /// Returns the rows that a remote vault loads in advance.
    func footprint(_ accountTokens: AccountTokenRule) -> Footprint {
        switch self {
        case .commit(let batch): Footprint(of: PreparedBatch(batch), accountTokens: accountTokens)
        case .move(let requests, let policy): Footprint(of: requests, policy: policy)
        case .claim(let subject, let customer):
            Footprint(of: subject, for: customer, accountTokens: accountTokens)
        case .markDelivery(let key, _): [.delivery(of: key)]
        case .setCursor: []
        case .erase(let customer): Footprint(erasing: customer)
        }
    }
}

extension VaultStoryOutcome: PlacedOutcome {
    func placed(by written: WrittenRows) -> VaultStoryOutcome {
        switch self {
        case .commit(let outcome): .commit(outcome.placed(by: written))
        case .move(let results): .move(results.placed(by: written))
        case .erase(let erasure): .erase(erasure.placed(by: written))
        case .claim, .markDelivery: self
        }
    }
}

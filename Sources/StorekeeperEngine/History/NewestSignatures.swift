/// When the newest verified copy of each environment was signed.
struct NewestSignatures: Sendable {
    /// A customer has purchases in one environment, or in two.
    private var entries: [(environment: AppStore.Environment, signedAt: Instant)] = []

    /// Takes in a signature; only the newest of its environment stays.
    mutating func record(_ signedAt: Instant, in environment: AppStore.Environment) {
        guard let index = entries.firstIndex(where: { $0.environment == environment }) else {
            entries.append((environment, signedAt))
            return
        }
        if entries[index].signedAt < signedAt { entries[index].signedAt = signedAt }
    }

    /// Takes in the signatures of another history of the same customer.
    mutating func merge(_ other: NewestSignatures) {
        for (environment, signedAt) in other.entries { record(signedAt, in: environment) }
    }

    /// The newest signature of the environments that fulfil a condition; `nil` if there is none.
    func newest(where isCounted: (AppStore.Environment) -> Bool) -> Instant? {
        entries.filter { isCounted($0.environment) }.map(\.signedAt).max()
    }
}

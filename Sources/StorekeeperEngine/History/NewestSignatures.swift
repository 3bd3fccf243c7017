/// The signing time of the newest verified copy of each environment.
struct NewestSignatures: Sendable {
    /// An array is used instead of a dictionary, because a customer has purchases in only one or two environments.
    private var entries: [(environment: AppStore.Environment, signedAt: Instant)] = []

    /// Records a signing time; only the newest time of each environment is stored.
    mutating func record(_ signedAt: Instant, in environment: AppStore.Environment) {
        guard let index = entries.firstIndex(where: { $0.environment == environment }) else {
            entries.append((environment, signedAt))
            return
        }
        if entries[index].signedAt < signedAt { entries[index].signedAt = signedAt }
    }

    /// Adds the signing times of another history of the same customer.
    mutating func merge(_ other: NewestSignatures) {
        for (environment, signedAt) in other.entries { record(signedAt, in: environment) }
    }

    /// Returns the newest signing time in the environments that satisfy a condition; `nil` if no verified copy is from
    /// such an environment.
    func newest(where isCounted: (AppStore.Environment) -> Bool) -> Instant? {
        entries.filter { isCounted($0.environment) }.map(\.signedAt).max()
    }
}

public import Storekeeper

extension GeneratedEvidence {
    /// The sorted instants at which an answer could change, and the instants one millisecond before and after each.
    ///
    /// The array is empty if the engine refuses a payload. The engine accepts all generated payloads.
    public var instantsOfInterest: [Instant] { instantsOfInterest(policy: ReferencePolicy()) }

    /// Returns the sorted instants at which an answer could change under a policy, and the instants one millisecond
    /// before and after each.
    public func instantsOfInterest(policy: ReferencePolicy) -> [Instant] {
        guard let model = try? ReferenceModel(self, policy: policy) else { return [] }
        let around = model.candidateInstants.flatMap { instant in
            [-1, 0, 1].map { instant.adding(milliseconds: $0) }
        }
        return Set(around).sorted()
    }
}

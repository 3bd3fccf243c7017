import Storekeeper

/// The verifier of a store that receives only facts that are already verified; it refuses every text.
struct RefusingVerifier: TransactionVerifier {
    /// The environments whose evidence counts.
    let environments: Set<AppStore.Environment>

    func verify(_ jws: String) -> CheckedEvidence {
        .unreadable(VerificationError(.malformed, "this was not verified"), payload: nil)
    }
}

/// Verifies the signatures of evidence.
///
/// `JWSVerifier` in `StorekeeperJWS` is the only implementation in this package that checks signatures. A conforming
/// type must be safe to call from many tasks at once and must not wait for a network unless its documentation says so.
public protocol TransactionVerifier: Sendable {
    /// The environments whose evidence this verifier accepts.
    ///
    /// A store counts evidence of exactly these environments, apart from those for which its policy names `shadow` or
    /// `refuse`.
    var environments: Set<AppStore.Environment> { get }

    /// Verifies one compact JWS of any kind.
    ///
    /// - Returns: The content and whether it was verified. The method never throws, so that an invalid item does not
    ///   stop the verification of the items after it.
    func verify(_ jws: String) -> CheckedEvidence
}

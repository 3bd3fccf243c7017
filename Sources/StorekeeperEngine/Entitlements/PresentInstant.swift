/// Decides which instant is now: the one rule for everything that answers without being given an instant.
package enum PresentInstant {
    /// How far a signature may lie ahead of this machine's clock and still count as now, in milliseconds.
    package static let allowedSkew: Int64 = 60_000

    /// The later of this machine's clock and the newest signature, if that is at most ``allowedSkew`` ahead.
    ///
    /// A clock that is a little slow would otherwise answer `never` to a customer who has just paid. A signature further
    /// ahead says that a clock is wrong, not which one, so that this machine's counts.
    ///
    /// - Parameters:
    ///   - clock: The time of this machine's clock.
    ///   - signature: The newest verified `signedDate` of the customer's evidence; `nil` if there is none.
    package static func now(clock: Instant, newestSignature signature: Instant?) -> Instant {
        guard let signature, signature <= clock.adding(milliseconds: allowedSkew) else { return clock }
        return max(clock, signature)
    }
}

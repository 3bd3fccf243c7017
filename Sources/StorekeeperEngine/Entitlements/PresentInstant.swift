/// The rule that determines the present instant, for all answers that are requested without an instant.
package enum PresentInstant {
    /// The maximum time, in milliseconds, by which a signature may be ahead of this machine's clock and still count as
    /// the present instant.
    package static let allowedSkew: Int64 = 60_000

    /// Returns the time of this machine's clock, or the time of the newest signature if this signature is ahead by at
    /// most ``allowedSkew``.
    ///
    /// Without this rule, a slightly slow clock would lead to the answer `never` for a customer who has just paid. If a
    /// signature is further ahead, either clock may be wrong. In this case this machine's clock counts.
    ///
    /// - Parameters:
    ///   - clock: The time of this machine's clock.
    ///   - signature: The newest verified `signedDate` of the customer's evidence; `nil` if there is none.
    package static func now(clock: Instant, newestSignature signature: Instant?) -> Instant {
        guard let signature, signature <= clock.adding(milliseconds: allowedSkew) else { return clock }
        return max(clock, signature)
    }
}

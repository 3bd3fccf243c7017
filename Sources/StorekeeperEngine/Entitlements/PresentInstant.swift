/// The rule that determines the present time for all answers that are requested without a time.
package enum PresentInstant {
    /// The maximum time, in milliseconds, by which a signature may be later than this machine's clock and still count
    /// as the present.
    package static let allowedSkew: Int64 = 60_000

    /// Returns the time of this machine's clock, or the time of the newest signature if the signature is later by at
    /// most ``allowedSkew``.
    ///
    /// Without this rule, if this machine's clock is slightly slow, the answer for a customer who has just paid would
    /// be `never`. If the difference is greater, either clock may be wrong, and this machine's clock is used.
    ///
    /// - Parameters:
    ///   - clock: The time of this machine's clock.
    ///   - signature: The newest verified `signedDate` of the customer's evidence; `nil` without such evidence.
    package static func now(clock: Instant, newestSignature signature: Instant?) -> Instant {
        guard let signature, signature <= clock.adding(milliseconds: allowedSkew) else { return clock }
        return max(clock, signature)
    }
}

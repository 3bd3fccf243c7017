/// The present instant: the one rule for all answers that are asked for without an instant.
package enum PresentInstant {
    /// The maximum lead of a signature over this machine's clock for it to count as now, in milliseconds.
    package static let allowedSkew: Int64 = 60_000

    /// Returns the later of this machine's clock and the newest signature if that is at most ``allowedSkew`` ahead.
    ///
    /// A slightly slow clock would otherwise answer `never` to a customer who has just paid. A signature further ahead
    /// shows that one of the clocks is wrong, but not which one, so this machine's clock counts.
    ///
    /// - Parameters:
    ///   - clock: The time of this machine's clock.
    ///   - signature: The newest verified `signedDate` of the customer's evidence; `nil` if there is none.
    package static func now(clock: Instant, newestSignature signature: Instant?) -> Instant {
        guard let signature, signature <= clock.adding(milliseconds: allowedSkew) else { return clock }
        return max(clock, signature)
    }
}

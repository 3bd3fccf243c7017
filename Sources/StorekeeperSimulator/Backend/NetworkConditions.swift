import Storekeeper

/// Simulated faults of the network between a simulated App Store and an engine.
///
/// The seed determines every random decision.
///
/// An item that the stream loses is not lost permanently, because the transaction history contains it.
public struct NetworkConditions: Hashable, Sendable {
    /// The seed of the random decisions.
    public var seed: UInt64
    /// The range from which the delay of each item is chosen, in the store's time; items with different delays can
    /// overtake one another.
    public var delay: ClosedRange<Duration>
    /// The probability that an item arrives twice, from 0 to 1.
    public var duplicates: Double
    /// The probability that an item is lost, from 0 to 1.
    public var losses: Double
    /// The probability that a call fails, from 0 to 1.
    public var failures: Double
    /// Whether the stream delivers App Store Server Notifications instead of transactions.
    public var sendsNotifications: Bool

    /// Conditions without faults: every item arrives immediately, once and in order.
    public static let ideal = NetworkConditions()

    /// Creates conditions in which only the faults that the arguments describe occur.
    public init(
        seed: UInt64 = 0, delay: ClosedRange<Duration> = .zero ... .zero, duplicates: Double = 0, losses: Double = 0,
        failures: Double = 0, sendsNotifications: Bool = false
    ) {
        self.seed = seed
        self.delay = delay
        self.duplicates = duplicates
        self.losses = losses
        self.failures = failures
        self.sendsNotifications = sendsNotifications
    }

    /// Returns one delay, in milliseconds, for each time that an item arrives; empty if the item is lost.
    func delays(ofItem sequence: Int) -> [Int64] {
        guard self != .ideal else { return [0] }
        var generator = SeededGenerator(seed: seed ^ UInt64(truncatingIfNeeded: sequence) &* 0xD134_2543_DE82_EF95)
        if generator.happens(losses) { return [] }
        let copies = generator.happens(duplicates) ? 2 : 1
        let shortest = max(0, delay.lowerBound.wholeMilliseconds ?? .max)
        let longest = max(shortest, delay.upperBound.wholeMilliseconds ?? .max)
        let span = UInt64(longest - shortest) + 1
        return (0..<copies).map { _ in shortest + Int64(generator.number(below: span)) }
    }

    /// Returns whether the call with this number fails.
    func fails(call number: UInt64) -> Bool {
        guard failures > 0 else { return false }
        var generator = SeededGenerator(seed: seed ^ number &* 0xA24B_AED4_963E_E407)
        return generator.happens(failures)
    }
}

import Storekeeper

/// What happens to what a simulated App Store sends on its way to an engine; every chance follows from a seed.
///
/// Nothing is lost for good: what the stream loses stands in the history.
public struct BackendWeather: Hashable, Sendable {
    /// What the chances are drawn from.
    public var seed: UInt64
    /// How late an item may come, in milliseconds of the store's time; items overtake one another within it.
    public var delay: ClosedRange<Int64>
    /// How often an item comes twice, from 0 to 1.
    public var duplicates: Double
    /// How often an item does not come, from 0 to 1.
    public var losses: Double
    /// How often a call fails, from 0 to 1.
    public var failures: Double
    /// Whether the stream carries notifications of the App Store Server instead of transactions.
    public var sendsNotifications: Bool

    /// Everything comes at once, once, in order.
    public static let fair = BackendWeather()

    /// Makes a weather.
    public init(
        seed: UInt64 = 0, delay: ClosedRange<Int64> = 0...0, duplicates: Double = 0, losses: Double = 0,
        failures: Double = 0, sendsNotifications: Bool = false
    ) {
        self.seed = seed
        self.delay = max(0, delay.lowerBound)...max(0, delay.upperBound)
        self.duplicates = duplicates
        self.losses = losses
        self.failures = failures
        self.sendsNotifications = sendsNotifications
    }

    /// How long the copies of an item are on their way, in milliseconds; none where it is lost.
    func delays(ofItem sequence: Int) -> [Int64] {
        guard self != .fair else { return [0] }
        var generator = SeededGenerator(seed: seed ^ UInt64(truncatingIfNeeded: sequence) &* 0xD134_2543_DE82_EF95)
        if generator.happens(losses) { return [] }
        let copies = generator.happens(duplicates) ? 2 : 1
        let span = UInt64(delay.upperBound - delay.lowerBound) + 1
        return (0..<copies).map { _ in delay.lowerBound + Int64(generator.number(below: span)) }
    }

    /// Whether a call fails.
    func fails(call number: UInt64) -> Bool {
        guard failures > 0 else { return false }
        var generator = SeededGenerator(seed: seed ^ number &* 0xA24B_AED4_963E_E407)
        return generator.happens(failures)
    }
}

/// The id of a step that writes to a vault: 128 random bits, chosen by the caller.
///
/// It is stored with the step. If a caller does not learn whether a step was committed, because the connection to a
/// database was lost during `COMMIT`, it calls ``Vault/wasWritten(_:)`` or submits the same batch again: a committed
/// batch is not written twice.
///
/// Only batches need an id. A request has its key, a claim its binding, a delivery its state and an erasure its proof;
/// each is its own record, and a repeated call returns the same result.
public struct StepID: Hashable, Sendable, LosslessStringConvertible {
    /// How long a vault remembers a step at least, by the instants of the batches: seven days, in milliseconds.
    package static let memory: Int64 = 7 * 86_400_000

    /// The high and the low 64 bits.
    package let halves: (high: UInt64, low: UInt64)

    /// Creates an id.
    ///
    /// - Parameter generator: A generator that gives different numbers to every process and thread, such as
    ///   `SystemRandomNumberGenerator`.
    public init(using generator: inout some RandomNumberGenerator) {
        halves = (generator.next(), generator.next())
    }

    /// Parses an id as ``description`` writes it; `nil` if the text is not an id.
    public init?(_ description: String) {
        let digits = Array(description.utf8)
        guard digits.count == 32, digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let high = UInt64(description.prefix(16), radix: 16), let low = UInt64(description.suffix(16), radix: 16)
        else { return nil }
        halves = (high, low)
    }

    /// The id as 32 hexadecimal digits.
    public var description: String {
        [halves.high, halves.low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares the ids.
    public static func == (left: StepID, right: StepID) -> Bool { left.halves == right.halves }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(halves.high)
        hasher.combine(halves.low)
    }
}

/// The name of a step that writes to a vault, given by whoever asks for it: 128 bits that nobody gives twice.
///
/// It is written with the step. A caller that was not told whether a step was written, because the connection to a
/// database was lost in its `COMMIT`, asks ``Vault/wasWritten(_:)``, or hands the same batch over again: what was written
/// is not written twice.
///
/// Only batches need one. A request has its key, a claim the binding that it makes, a delivery its state, an erasure
/// its proof: each of them is its own record, and asking for it again gives the same answer.
public struct StepID: Hashable, Sendable, LosslessStringConvertible {
    /// For how long a vault remembers a step at least, by the instants of the batches: seven days, in milliseconds.
    package static let memory: Int64 = 7 * 86_400_000

    /// The first and the last sixty-four bits.
    package let halves: (high: UInt64, low: UInt64)

    /// Makes a name.
    ///
    /// - Parameter generator: Gives different numbers to every process and thread: `SystemRandomNumberGenerator`.
    public init(using generator: inout some RandomNumberGenerator) {
        halves = (generator.next(), generator.next())
    }

    /// Reads a name as ``description`` has written it; `nil` for what is none.
    public init?(_ description: String) {
        let digits = Array(description.utf8)
        guard digits.count == 32, digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let high = UInt64(description.prefix(16), radix: 16), let low = UInt64(description.suffix(16), radix: 16)
        else { return nil }
        halves = (high, low)
    }

    /// The name in thirty-two hexadecimal digits.
    public var description: String {
        [halves.high, halves.low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Whether two names are the same.
    public static func == (left: StepID, right: StepID) -> Bool { left.halves == right.halves }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(halves.high)
        hasher.combine(halves.low)
    }
}

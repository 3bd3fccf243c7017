/// The id of a step that writes to a vault: 128 random bits, chosen by the caller.
///
/// The id is stored with the data that the step writes. If the connection to a database is lost during `COMMIT`, the
/// caller does not learn whether its step was committed. The caller then calls ``TransactionalVault/wasWritten(_:)`` or
/// submits the same batch again, because a committed batch is not written twice.
///
/// Only batches need an id. Other calls that write can be repeated without an id, because the data that they store
/// shows that they were carried out: the key of a request, the binding of a claim, the state of a delivery, and the
/// proof of an erasure.
package struct StepID: Hashable, Sendable, LosslessStringConvertible {
    /// The minimum time for which a vault stores the id of a step: seven days, in milliseconds, measured between the
    /// instants of batches.
    package static let memory: Int64 = 7 * 86_400_000

    /// The high and the low 64 bits.
    package let halves: (high: UInt64, low: UInt64)

    /// Creates an id.
    ///
    /// - Parameter generator: A generator whose numbers differ between processes and between threads, such as
    ///   `SystemRandomNumberGenerator`.
    package init(using generator: inout some RandomNumberGenerator) {
        halves = (generator.next(), generator.next())
    }

    /// Creates the id of a step from texts that identify it; equal texts give equal ids.
    ///
    /// The bits are a hash, so that ids of different texts do not meet by chance.
    package init(hashing texts: [String]) {
        var (high, low): (UInt64, UInt64) = (0, 1)
        func mix(_ word: UInt64) {
            var (next, other) = (high ^ word, low &+ word &* 0xD134_2543_DE82_EF95)
            (high, low) = (stepSplitMix64(&next), stepSplitMix64(&other))
        }
        for text in texts {
            // The length comes first, so that the same bytes that are divided differently have another hash.
            mix(UInt64(text.utf8.count))
            for byte in text.utf8 { mix(UInt64(byte)) }
        }
        halves = (high, low)
    }

    /// Parses the text of an id from ``description``; `nil` if the text is not an id.
    package init?(_ description: String) {
        let digits = Array(description.utf8)
        guard digits.count == 32, digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let high = UInt64(description.prefix(16), radix: 16), let low = UInt64(description.suffix(16), radix: 16)
        else { return nil }
        halves = (high, low)
    }

    /// The id as 32 hexadecimal digits.
    package var description: String {
        [halves.high, halves.low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares the ids.
    package static func == (left: StepID, right: StepID) -> Bool { left.halves == right.halves }

    /// Hashes the id.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(halves.high)
        hasher.combine(halves.low)
    }
}

import FoundationEssentials
import Storekeeper

/// A random number generator whose whole sequence follows from its seed, on every machine and in every release.
///
/// For reproducible choices, use the generator's own methods, because the standard library may change how it turns
/// numbers into a choice. Do not use the generator for secrets.
///
/// - SeeAlso: Guy L. Steele, Doug Lea and Christine H. Flood, "Fast splittable pseudorandom number generators",
///   OOPSLA 2014.
package struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Creates a generator.
    ///
    /// - Parameter seed: Any number. Equal seeds result in equal sequences; adjacent seeds result in unrelated
    ///   sequences.
    package init(seed: UInt64) { state = seed }

    /// Returns the next number, uniform over all of `UInt64`.
    package mutating func next() -> UInt64 { stepSplitMix64(&state) }

    /// Returns a uniformly distributed whole number that is at least 0 and less than a limit; 0 if the limit is 0.
    ///
    /// - SeeAlso: Daniel Lemire, "Fast random integer generation in an interval", ACM TOMACS 29, 2019.
    package mutating func number(below limit: UInt64) -> UInt64 {
        guard limit > 0 else { return 0 }
        var product = next().multipliedFullWidth(by: limit)
        if product.low < limit {
            let least = (0 &- limit) % limit
            while product.low < least { product = next().multipliedFullWidth(by: limit) }
        }
        return product.high
    }

    /// Returns a UUID of random bits.
    ///
    /// - SeeAlso: RFC 9562, 5.4, "UUID Version 4".
    mutating func uuid() -> UUID {
        let high = next()
        let low = next()
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * index)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                byte(high, 6) & 0x0F | 0x40, byte(high, 7),
                byte(low, 0) & 0x3F | 0x80, byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5),
                byte(low, 6), byte(low, 7)
            ))
    }

    /// Returns `true` with a given probability.
    mutating func happens(_ probability: Double) -> Bool {
        Double(next() >> 11) / Double(1 << 53) < probability
    }
}

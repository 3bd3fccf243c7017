import FoundationEssentials
import StorekeeperJWS

/// Where the random tests begin, and how far they go.
enum Seed {
    /// `STOREKEEPER_SEED`, or one for every day of work; printed, so that a failure can be had again.
    static let value = ProcessInfo.processInfo.environment["STOREKEEPER_SEED"].flatMap { UInt64($0) } ?? 20_260_301

    /// How many cases a random test tries: `STOREKEEPER_CASES`, or a number of its own.
    static func cases(_ standard: Int) -> Int {
        ProcessInfo.processInfo.environment["STOREKEEPER_CASES"].flatMap { Int($0) } ?? standard
    }

    static func generator(_ test: String) -> SplitMix64 {
        print("\(test): STOREKEEPER_SEED=\(value)")
        return SplitMix64(state: value)
    }
}

/// A small generator of numbers that can be repeated.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

import Foundation
import StorekeeperTesting

/// The sizes of the tests, from the environment.
///
/// `make test` uses small numbers, and the long runs use large numbers.
enum TestCounts {
    /// The number of times that nodes and servers are killed.
    static let kills = number("STOREKEEPER_KILLS")
    /// The number of failovers.
    static let failovers = number("STOREKEEPER_FAILOVERS")
    /// The number of commands that a fleet carries out.
    static let commands = number("STOREKEEPER_COMMANDS")
    /// The seed of random choices, which a failure prints.
    static let seed = PropertySettings.environment.seed

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }
}

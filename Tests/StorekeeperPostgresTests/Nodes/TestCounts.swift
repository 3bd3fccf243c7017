import Foundation
import StorekeeperTesting

/// How much the longer run asks for, by the environment; `make test` does with a little of each.
enum TestCounts {
    /// How often nodes, and servers, are killed.
    static let kills = number("STOREKEEPER_KILLS")
    /// How often a primary is lost.
    static let failovers = number("STOREKEEPER_FAILOVERS")
    /// How many commands a fleet carries out.
    static let commands = number("STOREKEEPER_COMMANDS")
    /// The seed of random choices, which a failure prints.
    static let seed = PropertySettings.environment.seed

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }
}

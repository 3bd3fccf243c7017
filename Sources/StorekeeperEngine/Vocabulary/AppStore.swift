/// A namespace for types of the App Store as a whole.
public enum AppStore: Sendable {
    /// The environment in which a transaction was made.
    ///
    /// - SeeAlso: Apple, "App Store Server API: environment".
    public struct Environment: OpenValue, Codable {
        /// The raw string in the App Store's payloads.
        public let rawValue: String
        /// Creates a value from a raw string, which may be unknown to this version.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The App Store, with real money.
        public static let production = Environment(rawValue: "Production")
        /// Apple's sandbox, which testers, TestFlight and App Review use.
        public static let sandbox = Environment(rawValue: "Sandbox")
        /// StoreKit Testing in Xcode.
        public static let xcode = Environment(rawValue: "Xcode")
        /// Unit tests of Apple's server libraries.
        public static let localTesting = Environment(rawValue: "LocalTesting")
        /// The environment of a receipt that does not name its environment.
        package static let unstated = Environment(rawValue: "unstated")

        /// The values that this version of the package knows.
        package static let known: Set<Environment> = [.production, .sandbox, .xcode, .localTesting]
    }
}

/// A value of a set that Apple may extend; an unknown value is stored as it was received.
package protocol OpenValue: RawRepresentable, Hashable, Sendable {
    /// The values that this version of the package knows.
    static var known: Set<Self> { get }
    init(rawValue: RawValue)
}

extension OpenValue {
    /// Whether this version of the package knows the value.
    package var isKnown: Bool { Self.known.contains(self) }
}

import FoundationEssentials
package import Testing

/// How many of this package's tests run: each scope includes the one before it.
///
/// The environment variable `STOREKEEPER_TESTS` names the scope: `make quick` sets `unit`, `make test` sets `system`, and
/// `make proof` sets `proof`. A suite without a mark is a unit test.
package enum TestScope: String {
    /// Tests in this process, without a server, a browser, a download or a started program.
    case unit
    /// Also tests that start programs, servers, a browser, or another language's library.
    case system
    /// Also long tests, and all inputs of each property.
    case proof

    /// The scope that the environment names; `nil` if it names none, as in a plain `swift test`.
    package static let named = TestScope(variables: ProcessInfo.processInfo.environment)

    /// Reads the scope from environment variables.
    package init?(variables: [String: String]) {
        guard let scope = variables["STOREKEEPER_TESTS"].flatMap(Self.init(rawValue:)) else { return nil }
        self = scope
    }
}

extension Trait where Self == ConditionTrait {
    /// Marks tests that start programs, servers, a browser, or another language's library.
    package static var system: Self {
        .disabled(if: TestScope.named == .unit, "a system test: make test runs it")
    }

    /// Marks long tests.
    package static var proof: Self {
        .enabled(if: TestScope.named == .proof, "a long test: make proof runs it")
    }
}

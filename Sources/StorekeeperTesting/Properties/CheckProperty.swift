import FoundationEssentials
public import Testing

/// Tests a property on many generated inputs and records an issue with the smallest input that breaks it.
///
/// The input with the number *n*, counted from 0, comes from a generator whose seed is `seed` plus *n*. The issue
/// contains this sum, so that a failing input can be reproduced alone. The environment variables `STOREKEEPER_CASES`
/// and `STOREKEEPER_SEED` override the arguments.
///
/// ```swift
/// checkProperty("merging twice changes nothing", generate: HistoryGenerator().generate, shrink: \.smaller) {
///     resolve($0.doubled) == resolve($0)
/// }
/// ```
///
/// - Parameters:
///   - name: The property as a sentence; the issue quotes it.
///   - cases: The number of inputs to try.
///   - seed: The seed of the first input.
///   - settings: The settings from the environment. Tests of this function pass other settings.
///   - sourceLocation: The source location for the recorded issue.
///   - generate: Creates an input. The closure must use random numbers only from the given generator.
///   - shrink: Returns inputs that are simpler than the given input, beginning with the simplest; empty if the input
///     cannot be simplified.
///   - describe: Returns the input as text for the issue.
///   - holds: Returns whether an input has the property. A thrown error also counts as a violation.
public func checkProperty<Input>(
    _ name: String,
    cases: Int = 200,
    seed: UInt64 = PropertySettings.defaultSeed,
    settings: PropertySettings = .environment,
    sourceLocation: SourceLocation = #_sourceLocation,
    generate: (inout SplitMix64) -> Input,
    shrink: (Input) -> [Input] = { _ in [] },
    describe: (Input) -> String = { String(describing: $0) },
    holds: (Input) throws -> Bool
) {
    let found = findCounterexample(
        cases: settings.count(of: cases), seed: settings.seed ?? seed, generate: generate, shrink: shrink, holds: holds)
    guard let found else { return }
    Issue.record(Comment(rawValue: found.report(of: name, describe: describe)), sourceLocation: sourceLocation)
}

/// Tests an asynchronous property, such as one about a store, in the same way as
/// ``checkProperty(_:cases:seed:settings:sourceLocation:generate:shrink:describe:holds:)``.
///
/// The inputs are tried one after another.
///
/// - Parameters:
///   - name: The property as a sentence; the issue quotes it.
///   - cases: The number of inputs to try.
///   - seed: The seed of the first input.
///   - settings: The settings from the environment.
///   - sourceLocation: The source location for the recorded issue.
///   - generate: Creates an input. The closure must use random numbers only from the given generator.
///   - shrink: Returns inputs that are simpler than the given input, beginning with the simplest; empty if the input
///     cannot be simplified.
///   - describe: Returns the input as text for the issue.
///   - holds: Returns whether an input has the property. A thrown error also counts as a violation.
public func checkAsyncProperty<Input>(
    _ name: String,
    cases: Int = 200,
    seed: UInt64 = PropertySettings.defaultSeed,
    settings: PropertySettings = .environment,
    sourceLocation: SourceLocation = #_sourceLocation,
    generate: (inout SplitMix64) -> Input,
    shrink: (Input) -> [Input] = { _ in [] },
    describe: (Input) -> String = { String(describing: $0) },
    holds: (Input) async throws -> Bool
) async {
    var search = CounterexampleSearch<Input>(cases: settings.count(of: cases), seed: settings.seed ?? seed)
    while let input = search.next(generate: generate, shrink: shrink) {
        do {
            if try await !holds(input) { search.recordViolation(by: input, error: nil) }
        } catch {
            search.recordViolation(by: input, error: String(describing: error))
        }
    }
    guard let found = search.found else { return }
    Issue.record(Comment(rawValue: found.report(of: name, describe: describe)), sourceLocation: sourceLocation)
}

/// The number of inputs for a property, and the seed of the first input.
public struct PropertySettings: Hashable, Sendable {
    /// The default seed, which is fixed, so that a build server tests the same inputs every time.
    public static let defaultSeed: UInt64 = 0x5708_EEE9

    /// The number of inputs to try; `nil` means the test's default.
    public var cases: Int?
    /// The seed of the first input; `nil` means the test's default.
    public var seed: UInt64?
    /// Whether this package's tests try a twentieth of the inputs, as in `make test`.
    private var isShort = false

    /// Creates settings.
    public init(cases: Int? = nil, seed: UInt64? = nil) {
        self.cases = cases
        self.seed = seed
    }

    /// Reads `STOREKEEPER_CASES` and `STOREKEEPER_SEED`.
    ///
    /// - Parameter variables: The environment variables. The seed may be decimal, or hexadecimal after `0x`. A value
    ///   that is not a number is ignored. A number of cases below 1 is also ignored.
    public init(variables: [String: String]) {
        isShort = TestScope(variables: variables).map { $0 != .proof } ?? false
        cases = variables["STOREKEEPER_CASES"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
        seed = variables["STOREKEEPER_SEED"].flatMap { text in
            text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
        }
    }

    /// The number of inputs to try if the settings name none: `cases`, or a twentieth of them and at least 5.
    package func count(of cases: Int) -> Int {
        self.cases ?? (isShort ? max(cases / 20, min(cases, 5)) : cases)
    }

    /// A generator with the seed, for a test that creates its inputs itself.
    package var generator: SplitMix64 { SplitMix64(seed: seed ?? Self.defaultSeed) }
}

extension PropertySettings {
    /// The settings from this process's environment.
    public static var environment: PropertySettings {
        PropertySettings(variables: ProcessInfo.processInfo.environment)
    }
}

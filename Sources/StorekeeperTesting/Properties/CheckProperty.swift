public import Testing

/// Tests a property on many generated inputs and records an issue with the smallest input that breaks it.
///
/// Input number *n* (from 0) comes from a generator seeded with the seed plus *n*; the issue names that sum, so a
/// failing input can be made again alone. The environment may say `STOREKEEPER_CASES` and `STOREKEEPER_SEED`,
/// which beat the arguments.
///
/// ```swift
/// checkProperty("merging twice changes nothing", generate: HistoryGenerator().generate, shrink: \.smaller) {
///     resolve($0.doubled) == resolve($0)
/// }
/// ```
///
/// - Parameters:
///   - name: What must hold, as a sentence; the issue quotes it.
///   - cases: How many inputs to try.
///   - seed: Where the sequence of inputs starts.
///   - settings: What the environment says; tests of this function give their own.
///   - sourceLocation: Where to record the issue.
///   - generate: Makes an input; must draw from the generator only.
///   - shrink: Inputs that are simpler than one, the simplest first; none where it cannot be simplified.
///   - describe: The input as text, for the issue.
///   - holds: The property. An error breaks it too.
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
        cases: settings.cases ?? cases, seed: settings.seed ?? seed, generate: generate, shrink: shrink, holds: holds)
    guard let found else { return }
    Issue.record(Comment(rawValue: found.report(of: name, describe: describe)), sourceLocation: sourceLocation)
}

/// How many inputs a property is tried on, and which.
public struct PropertySettings: Hashable, Sendable {
    /// The seed where nobody says otherwise; fixed, so that a build server sees the same inputs every time.
    public static let defaultSeed: UInt64 = 0x5708_EEE9

    /// How many inputs to try; `nil` leaves it to the test.
    public var cases: Int?
    /// Where the sequence of inputs starts; `nil` leaves it to the test.
    public var seed: UInt64?

    /// Makes settings.
    public init(cases: Int? = nil, seed: UInt64? = nil) {
        self.cases = cases
        self.seed = seed
    }

    /// Reads `STOREKEEPER_CASES` and `STOREKEEPER_SEED`.
    ///
    /// - Parameter variables: The variables of an environment. The seed may be decimal or hexadecimal after `0x`;
    ///   what is not a number, and a number of cases below 1, is passed over.
    public init(variables: [String: String]) {
        cases = variables["STOREKEEPER_CASES"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
        seed = variables["STOREKEEPER_SEED"].flatMap { text in
            text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
        }
    }

    /// A generator that begins at the seed, for a test that draws its inputs itself.
    package var generator: SplitMix64 { SplitMix64(seed: seed ?? Self.defaultSeed) }
}

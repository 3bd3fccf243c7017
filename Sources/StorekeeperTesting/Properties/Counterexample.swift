/// An input that violates a property.
public struct Counterexample<Input> {
    /// The smallest input found that violates the property.
    public var input: Input
    /// The seed of the input from which ``input`` was simplified.
    public var seed: UInt64
    /// The number of the first input that violated the property, counted from 0.
    public var position: Int
    /// The number of simplification steps from the first violating input to ``input``.
    public var shrinks: Int
    /// The text of the error that the property threw for ``input``; `nil` if the property returned `false`.
    public var error: String?

    /// Returns the text of an issue with the property, the input, and the settings that reproduce the failure.
    ///
    /// - Parameters:
    ///   - name: The property.
    ///   - describe: Returns the input as text.
    public func report(of name: String, describe: (Input) -> String) -> String {
        let seedText = "0x" + String(seed, radix: 16, uppercase: true)
        return """
            The property "\(name)" is violated\(error.map { " by an error: \($0)" } ?? "").
            Smallest input found (input \(position), simplified \(shrinks) times):
            \(describe(input))
            To reproduce: STOREKEEPER_SEED=\(seedText) STOREKEEPER_CASES=1
            """
    }
}

extension Counterexample: Sendable where Input: Sendable {}

/// Searches for an input that violates a property, and simplifies it.
///
/// - Parameters:
///   - cases: The number of inputs to try.
///   - seed: The seed of the first input; each further input has the next seed.
///   - maximumShrinkTrials: The maximum number of simpler inputs to try.
///   - generate: Creates an input. The closure must use random numbers only from the given generator.
///   - shrink: Returns inputs that are simpler than the given input, beginning with the simplest.
///   - holds: Returns whether an input has the property. A thrown error also counts as a violation.
/// - Returns: The simplest input found that violates the property; `nil` if every input has the property.
public func findCounterexample<Input>(
    cases: Int, seed: UInt64 = PropertySettings.defaultSeed, maximumShrinkTrials: Int = 5_000,
    generate: (inout SplitMix64) -> Input, shrink: (Input) -> [Input] = { _ in [] },
    holds: (Input) throws -> Bool
) -> Counterexample<Input>? {
    var search = CounterexampleSearch<Input>(cases: cases, seed: seed, trials: maximumShrinkTrials)
    while let input = search.next(generate: generate, shrink: shrink) {
        do {
            if try !holds(input) { search.recordViolation(by: input, error: nil) }
        } catch {
            search.recordViolation(by: input, error: String(describing: error))
        }
    }
    return search.found
}

/// The inputs of a search for a counterexample, one after another.
///
/// The caller tests each input, so that the same search serves synchronous and asynchronous properties.
struct CounterexampleSearch<Input> {
    /// The simplest input so far that violates the property.
    private(set) var found: Counterexample<Input>?
    private let cases: Int
    private let seed: UInt64
    /// The number of simpler inputs that may still be tried.
    private var trials: Int
    /// The number of the last generated input, counted from 0.
    private var position = -1
    /// The simpler inputs that are not tried yet; `nil` if they are not made yet.
    private var simpler: ArraySlice<Input>?

    init(cases: Int, seed: UInt64, trials: Int = 5_000) {
        self.cases = cases
        self.seed = seed
        self.trials = trials
    }

    /// Returns the next input to test; `nil` at the end of the search.
    mutating func next(generate: (inout SplitMix64) -> Input, shrink: (Input) -> [Input]) -> Input? {
        guard let found else {
            guard position + 1 < cases else { return nil }
            position += 1
            var random = SplitMix64(seed: seed &+ UInt64(position))
            return generate(&random)
        }
        if simpler == nil { simpler = shrink(found.input)[...] }
        guard trials > 0, let next = simpler?.popFirst() else { return nil }
        trials -= 1
        return next
    }

    /// Records that the last input violates the property.
    mutating func recordViolation(by input: Input, error: String?) {
        simpler = nil
        found = Counterexample(
            input: input, seed: seed &+ UInt64(position), position: position,
            shrinks: found.map { $0.shrinks + 1 } ?? 0,
            error: error)
    }
}

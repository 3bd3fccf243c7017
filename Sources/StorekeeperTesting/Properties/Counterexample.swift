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
    for position in 0..<max(0, cases) {
        let seed = seed &+ UInt64(position)
        var random = SplitMix64(seed: seed)
        let input = generate(&random)
        guard let first = violation(in: input, holds) else { continue }
        var found = Counterexample(input: input, seed: seed, position: position, shrinks: 0, error: first.error)
        var trials = maximumShrinkTrials
        search: while true {
            for simpler in shrink(found.input) {
                guard trials > 0 else { break search }
                trials -= 1
                guard let next = violation(in: simpler, holds) else { continue }
                found.input = simpler
                found.error = next.error
                found.shrinks += 1
                continue search
            }
            break
        }
        return found
    }
    return nil
}

/// The violation of a property by an input; `error` is `nil` if the property returned `false`.
private struct Violation {
    var error: String?
}

/// Returns the violation of a property by an input; `nil` if the input has the property.
private func violation<Input>(in input: Input, _ holds: (Input) throws -> Bool) -> Violation? {
    do {
        return try holds(input) ? nil : Violation(error: nil)
    } catch {
        return Violation(error: String(describing: error))
    }
}

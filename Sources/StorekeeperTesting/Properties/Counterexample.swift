/// An input that breaks a property.
public struct Counterexample<Input> {
    /// The smallest input found that breaks the property.
    public var input: Input
    /// The seed that makes the input from which ``input`` was simplified.
    public var seed: UInt64
    /// Which input broke the property first, from 0.
    public var position: Int
    /// How many times the input was simplified.
    public var shrinks: Int
    /// The error that ``input`` led to, as text; `nil` where the property was just false.
    public var error: String?

    /// The text of an issue: what broke, on which input, and how to see it again.
    ///
    /// - Parameters:
    ///   - name: The property.
    ///   - describe: The input as text.
    public func report(of name: String, describe: (Input) -> String) -> String {
        let seedText = "0x" + String(seed, radix: 16, uppercase: true)
        return """
            The property "\(name)" is broken\(error.map { " by an error: \($0)" } ?? "").
            Smallest input found (input \(position), simplified \(shrinks) times):
            \(describe(input))
            To see it again: STOREKEEPER_SEED=\(seedText) STOREKEEPER_CASES=1
            """
    }
}

extension Counterexample: Sendable where Input: Sendable {}

/// Looks for an input that breaks a property, and simplifies it.
///
/// - Parameters:
///   - cases: How many inputs to try.
///   - seed: The seed of the first input; each further one has the next seed.
///   - maximumShrinkTrials: How many simpler inputs are tried at most.
///   - generate: Makes an input; must draw from the generator only.
///   - shrink: Inputs that are simpler than one, the simplest first.
///   - holds: The property. An error breaks it too.
/// - Returns: `nil` where every input has the property.
public func findCounterexample<Input>(
    cases: Int, seed: UInt64 = PropertySettings.defaultSeed, maximumShrinkTrials: Int = 5_000,
    generate: (inout SplitMix64) -> Input, shrink: (Input) -> [Input] = { _ in [] },
    holds: (Input) throws -> Bool
) -> Counterexample<Input>? {
    for position in 0..<max(0, cases) {
        let seed = seed &+ UInt64(position)
        var random = SplitMix64(seed: seed)
        let input = generate(&random)
        guard let first = breach(in: input, holds) else { continue }
        var found = Counterexample(input: input, seed: seed, position: position, shrinks: 0, error: first.error)
        var trials = maximumShrinkTrials
        search: while true {
            for simpler in shrink(found.input) {
                guard trials > 0 else { break search }
                trials -= 1
                guard let next = breach(in: simpler, holds) else { continue }
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

/// How an input breaks a property.
private struct Breach {
    var error: String?
}

/// `nil` where the input has the property.
private func breach<Input>(in input: Input, _ holds: (Input) throws -> Bool) -> Breach? {
    do {
        return try holds(input) ? nil : Breach(error: nil)
    } catch {
        return Breach(error: String(describing: error))
    }
}

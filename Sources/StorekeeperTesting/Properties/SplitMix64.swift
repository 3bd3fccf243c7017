import Storekeeper

/// A random number generator whose sequence is determined by its seed.
///
/// The sequences of consecutive seeds are unrelated, so the inputs of a property can use consecutive seeds. Do not use
/// this generator for secrets.
///
/// - SeeAlso: Guy L. Steele, Doug Lea and Christine H. Flood, "Fast splittable pseudorandom number generators",
///   OOPSLA 2014.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Creates a generator.
    ///
    /// - Parameter seed: Any number. Generators with equal seeds return equal sequences.
    public init(seed: UInt64) { state = seed }

    /// Returns the next number, uniformly distributed over `UInt64`.
    public mutating func next() -> UInt64 { stepSplitMix64(&state) }
}

extension SplitMix64 {
    /// Returns a whole number in a range.
    public mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Returns `true` with a probability in percent.
    public mutating func chance(_ percent: Int) -> Bool { number(in: 1...100) <= percent }

    /// Returns one of the choices, all of which are equally likely.
    ///
    /// - Parameters:
    ///   - first: The first choice, which ensures that at least one choice exists.
    ///   - rest: The other choices.
    public mutating func pick<Choice>(_ first: Choice, _ rest: Choice...) -> Choice {
        let position = number(in: 0...rest.count)
        return position == 0 ? first : rest[position - 1]
    }

    /// Returns a random element of a collection.
    ///
    /// All elements are equally likely.
    ///
    /// - Returns: The element; `nil` if the collection is empty.
    public mutating func element<Elements: Collection>(of elements: Elements) -> Elements.Element? {
        elements.randomElement(using: &self)
    }
}

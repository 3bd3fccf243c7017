import Storekeeper

/// A random number generator whose whole sequence follows from its seed.
///
/// Neighbouring seeds give unrelated sequences, so the cases of a property may simply count them up. Not for
/// secrets.
///
/// - SeeAlso: Guy L. Steele, Doug Lea and Christine H. Flood, "Fast splittable pseudorandom number generators",
///   OOPSLA 2014.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Makes a generator.
    ///
    /// - Parameter seed: Any number; equal seeds give equal sequences.
    public init(seed: UInt64) { state = seed }

    /// The next number, evenly spread over all of `UInt64`.
    public mutating func next() -> UInt64 { stepSplitMix64(&state) }
}

extension SplitMix64 {
    /// A whole number of a range.
    public mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Whether something happens that happens so many times in a hundred.
    public mutating func chance(_ percent: Int) -> Bool { number(in: 1...100) <= percent }

    /// One of the choices.
    ///
    /// - Parameters:
    ///   - first: The first choice, so that there is always one.
    ///   - rest: The others; each choice is equally likely.
    public mutating func pick<Choice>(_ first: Choice, _ rest: Choice...) -> Choice {
        let position = number(in: 0...rest.count)
        return position == 0 ? first : rest[position - 1]
    }

    /// One element of a collection, each equally likely.
    ///
    /// - Returns: `nil` where the collection is empty.
    public mutating func element<Elements: Collection>(of elements: Elements) -> Elements.Element? {
        elements.randomElement(using: &self)
    }
}

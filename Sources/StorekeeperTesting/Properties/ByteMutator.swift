/// Damages input as faulty disks, faulty networks and forgers do, for tests of code that reads external input.
///
/// ```swift
/// let mutator = ByteMutator(samples: samples, tokens: ["{", "\"", "null"].map { Array($0.utf8) })
/// checkProperty("damaged files are read or refused", generate: { mutator.mutant(&$0) }, shrink: ByteMutator.simpler) {
///     …
/// }
/// ```
package struct ByteMutator: Sendable {
    /// The complete inputs that the mutator damages.
    ///
    /// Pieces of an input are also inserted into other inputs.
    private let samples: [[UInt8]]
    /// Tokens of the input's syntax, which are inserted into inputs.
    private let tokens: [[UInt8]]
    /// The maximum number of bytes that are removed or copied at once.
    private let longestPiece: Int

    /// Creates a mutator.
    package init(samples: [[UInt8]], tokens: [[UInt8]] = [], longestPiece: Int = 40) {
        self.samples = samples
        self.tokens = tokens
        self.longestPiece = max(1, longestPiece)
    }

    /// Returns one of the samples, damaged one to four times.
    package func mutant(_ random: inout SplitMix64) -> [UInt8] {
        var bytes = random.element(of: samples) ?? []
        for _ in 0..<random.number(in: 1...4) { damage(&bytes, &random) }
        return bytes
    }

    /// Damages input once.
    ///
    /// - Parameter start: The offset before which the bytes stay unchanged.
    package func damage(_ bytes: inout [UInt8], from start: Int = 0, _ random: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        let last = bytes.count - 1
        let first = min(max(start, 0), last)
        let position = random.number(in: first...last)
        let end = min(bytes.count, position + random.number(in: 1...longestPiece))
        switch random.number(in: 0...10) {
        case 0: bytes[position] ^= 1 << UInt8(random.number(in: 0...7))
        case 1: bytes[position] = UInt8.random(in: .min ... .max, using: &random)
        case 2: bytes.remove(at: position)
        case 3: bytes.removeSubrange(position..<end)
        case 4: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: position)
        case 5: bytes.insert(contentsOf: bytes[position..<end], at: position)
        case 6: bytes.swapAt(position, random.number(in: first...last))
        case 7: bytes.insert(contentsOf: token(&random), at: position)
        case 8: bytes.replaceSubrange(position..<end, with: token(&random))
        case 9:
            let other = random.element(of: samples) ?? []
            let from = random.number(in: 0...other.count)
            bytes.insert(contentsOf: other[from..<min(other.count, from + longestPiece)], at: position)
        default:
            let other = random.element(of: samples) ?? []
            bytes.replaceSubrange(position..., with: other[min(position, other.count)...])
        }
    }

    /// Returns a random token; without tokens, a random byte.
    private func token(_ random: inout SplitMix64) -> [UInt8] {
        random.element(of: tokens) ?? [UInt8.random(in: .min ... .max, using: &random)]
    }

    /// Returns inputs that each lack one part of the given input.
    ///
    /// The inputs that lack large parts are first.
    package static func simpler(_ bytes: [UInt8]) -> [[UInt8]] {
        var smaller: [[UInt8]] = []
        var length = bytes.count
        while length > 0 {
            // Large inputs are cut at only a few places, to keep the list short.
            for start in stride(from: 0, to: bytes.count, by: max(length, bytes.count / 64)) {
                smaller.append(Array(bytes[..<start] + bytes[min(bytes.count, start + length)...]))
            }
            length /= 2
        }
        return smaller
    }
}

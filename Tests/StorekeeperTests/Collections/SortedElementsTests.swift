import StorekeeperTesting
import Testing

@testable import Storekeeper

/// Tests of sorted elements that are stored in pieces.
struct SortedElementsTests {
    @Test("Elements in pieces are those of a plain sorted array", arguments: [1, 2, 3] as [UInt64])
    func pieces(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (elements, plain) = (SortedElements<Int>(), Set<Int>())
        for step in 0..<12_000 {
            // In the first half, elements are added at the end and between others. In the second half, more elements
            // are removed than added.
            let number = random.chance(20) ? 5_000 + step : Int(random.next() % 5_000)
            if random.chance(step < 6_000 ? 20 : 75) {
                let isRemoved = elements.remove(number)
                let wasPresent = plain.remove(number) != nil
                #expect(isRemoved == wasPresent)
            } else {
                let isInserted = elements.insert(number)
                let wasAbsent = plain.insert(number).inserted
                #expect(isInserted == wasAbsent)
            }
            guard step.isMultiple(of: 300) else { continue }
            let sorted = plain.sorted()
            #expect(elements.all == sorted)
            #expect(elements.first == sorted.first && elements.last == sorted.last)
            for limit in [-1, 0, 1, 700, .max] {
                #expect(elements.elements(after: nil, limit: limit) == Array(sorted.prefix(max(0, limit))))
                let rest = sorted.drop { $0 <= number }.prefix(max(0, limit))
                #expect(elements.elements(after: number, limit: limit) == Array(rest))
            }
        }
        for number in plain { elements.remove(number) }
        #expect(elements.isEmpty && elements.first == nil && elements.all.isEmpty)
    }
}

import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests of arrays whose copies share the storage that has not been changed.
struct LeafArrayTests {
    @Test("An array and its copies hold the same elements as plain arrays", arguments: [1, 2, 3] as [UInt64])
    func copies(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var twins: [(leaves: LeafArray<Int>, plain: [Int])] = [(LeafArray(), [])]
        for step in 0..<6_000 {
            let index = Int.random(in: 0..<twins.count, using: &random)
            let number = Int.random(in: 0..<1_000, using: &random)
            switch Int.random(in: 0..<40, using: &random) {
            case 0 where twins.count < 4: twins.append(twins[index])
            case 1 where twins.count > 1: twins.remove(at: index)
            case 2 where step.isMultiple(of: 7):
                twins[index].leaves.sort(by: <)
                twins[index].plain.sort()
            case 3 where step.isMultiple(of: 7):
                twins[index].leaves.removeAll { $0 == number }
                twins[index].plain.removeAll { $0 == number }
            case 4...12 where !twins[index].plain.isEmpty:
                let place = number % twins[index].plain.count
                twins[index].leaves[place] += 1
                twins[index].plain[place] += 1
            default:
                twins[index].leaves.append(number)
                twins[index].plain.append(number)
            }
            guard step.isMultiple(of: 50) else { continue }
            for twin in twins {
                #expect(Array(twin.leaves) == twin.plain)
                #expect(twin.leaves.elements == twin.plain)
                #expect(twin.leaves.last == twin.plain.last)
            }
        }
        #expect(twins.contains { $0.plain.count > 1_100 })
    }

    @Test("Arrays with lengths around those of a leaf and of a branch hold their elements")
    func lengths() {
        for count in [0, 1, 15, 16, 17, 32, 33, 1_023, 1_024, 1_025, 1_041, 2_100] {
            let leaves = LeafArray(0..<count)
            #expect(leaves.count == count)
            #expect(leaves.elements == Array(0..<count))
            #expect(leaves == LeafArray(0..<count))
            #expect(leaves != LeafArray(0..<(count + 1)))
        }
    }
}

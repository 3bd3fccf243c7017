import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests of maps whose copies share the storage that has not been changed.
struct LayeredMapTests {
    /// A map and the plain dictionary that it must equal.
    private struct ModelMap {
        var map = LayeredMap<Int, [Int]>()
        var plain: [Int: [Int]] = [:]

        /// Makes the same random change to the map and to the dictionary.
        mutating func change(_ random: inout SplitMix64, keys: Int) {
            let key = Int.random(in: 0..<keys, using: &random)
            let value = [Int.random(in: 0..<1_000, using: &random)]
            switch Int.random(in: 0..<9, using: &random) {
            case 0...2:
                let (old, known) = (map.updateValue(value, forKey: key), plain.updateValue(value, forKey: key))
                #expect(old == known)
            case 3, 4:
                map.change(key, default: [-1]) { $0 += value }
                plain[key, default: [-1]] += value
            case 5, 6:
                let count = map.change(key) { list in
                    list += value
                    return list.count
                }
                plain[key]? += value
                #expect(count == plain[key]?.count)
            case 7:
                map.replaceEntry(value, forKey: key)
                plain[key] = value
            default:
                map.remove(key)
                plain[key] = nil
            }
        }

        var isAlike: Bool {
            map.count == plain.count && plain.allSatisfy { map[$0.key] == $0.value }
                && Dictionary(Array(map).map { ($0.key, $0.value) }, uniquingKeysWith: { left, _ in left + [-2] })
                    == plain
        }
    }

    /// A key that equals every other key.
    private final class Key: Hashable, Sendable {
        static func == (left: Key, right: Key) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    @Test("A key is released when an equal key replaces it", arguments: [false, true])
    func replacedKeys(isShared: Bool) {
        var map = LayeredMap<Key, Int>()
        weak var old: Key?
        do {
            let key = Key()
            old = key
            map.updateValue(1, forKey: key)
        }
        var copy: LayeredMap? = isShared ? map : nil
        let new = Key()
        map.replaceEntry(2, forKey: new)
        #expect(map[new] == 2 && map.count == 1 && copy.map { $0[new] == 1 } ?? true)
        copy = nil
        map.fold()
        #expect(map[new] == 2 && map.count == 1 && old == nil)
    }

    @Test(
        "A map and its copies hold the same entries as plain dictionaries", arguments: [4, 40, 400],
        [1, 2, 3] as [UInt64])
    func copies(keys: Int, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var twins = [ModelMap()]
        for step in 0..<2_000 {
            let index = Int.random(in: 0..<twins.count, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0 where twins.count < 4: twins.append(twins[index])
            case 1 where twins.count > 1: twins.remove(at: index)
            case 2: twins[index].map.fold()
            case 3: twins[index].map.reserveCapacity(keys)
            default: twins[index].change(&random, keys: keys)
            }
            if step.isMultiple(of: 20) { for twin in twins { #expect(twin.isAlike) } }
        }
        for twin in twins { #expect(twin.isAlike) }
    }

    @Test("Maps are equal regardless of the layer in which their entries are")
    func equality() {
        var base = LayeredMap<Int, Int>()
        for key in 0..<100 { base.updateValue(key, forKey: key) }
        var layered = base
        layered.updateValue(7, forKey: 500)
        var whole = LayeredMap<Int, Int>()
        for key in (0..<100).reversed() { whole.updateValue(key, forKey: key) }
        #expect(layered != whole)
        whole.updateValue(7, forKey: 500)
        #expect(layered == whole)
        #expect(base != layered)
        whole.updateValue(8, forKey: 500)
        #expect(layered != whole)
    }
}

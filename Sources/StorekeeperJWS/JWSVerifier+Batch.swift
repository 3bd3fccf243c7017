import FoundationEssentials
public import StorekeeperEngine
import Synchronization

extension JWSVerifier {
    /// How many items a worker takes at a time.
    private static let blockSize = 32

    /// Verifies many items on all cores.
    ///
    /// - Returns: What came of each item, in the order given. A bad item changes nothing for the others.
    public func verifyBatch(_ items: [CompactJWS]) async -> [CheckedEvidence] {
        let blocks = (items.count + Self.blockSize - 1) / Self.blockSize
        guard blocks > 1 else {
            var recent: VerifiedChain?
            return items.map { verify($0, for: addressee, recent: &recent) }
        }
        // Also on one core in a task, so that a long batch does not hold up the caller's actor.
        let workers = min(max(1, ProcessInfo.processInfo.activeProcessorCount), blocks)
        let counter = BlockCounter()
        var results = [[CheckedEvidence]](repeating: [], count: blocks)
        await withTaskGroup(of: [(Int, [CheckedEvidence])].self) { group in
            for _ in 0..<workers {
                group.addTask { self.verifyBlocks(of: items, counter) }
            }
            for await share in group {
                for (block, verified) in share { results[block] = verified }
            }
        }
        return Array(results.joined())
    }

    /// Takes blocks until none is left.
    private func verifyBlocks(of items: [CompactJWS], _ counter: BlockCounter) -> [(Int, [CheckedEvidence])] {
        var done: [(Int, [CheckedEvidence])] = []
        var recent: VerifiedChain?
        while true {
            let block = counter.next()
            let start = block * Self.blockSize
            guard start < items.count else { return done }
            let end = min(start + Self.blockSize, items.count)
            done.append((block, items[start..<end].map { verify($0, for: addressee, recent: &recent) }))
        }
    }
}

/// Hands out the blocks of a batch, each once.
private final class BlockCounter: Sendable {
    private let taken = Atomic<Int>(0)

    func next() -> Int { taken.wrappingAdd(1, ordering: .relaxed).oldValue }
}

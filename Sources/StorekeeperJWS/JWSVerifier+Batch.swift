import FoundationEssentials
public import StorekeeperEngine
import Synchronization

extension JWSVerifier {
    /// The number of items in a block; a worker verifies one block at a time.
    private static let blockSize = 32

    /// Verifies many items on all cores.
    ///
    /// - Returns: The result of each item, in the given order. An invalid item does not affect the results of other
    ///   items.
    public func verifyBatch(_ items: [CompactJWS]) async -> [CheckedEvidence] {
        let blocks = (items.count + Self.blockSize - 1) / Self.blockSize
        guard blocks > 1 else {
            var recent: VerifiedChain?
            return items.map { verify($0, for: addressee, recent: &recent) }
        }
        // The work runs in child tasks even on one core, so that a long batch does not block the caller's actor.
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

    /// Verifies blocks until no block is left.
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

/// Assigns the blocks of a batch to workers, each block once.
private final class BlockCounter: Sendable {
    private let taken = Atomic<Int>(0)

    func next() -> Int { taken.wrappingAdd(1, ordering: .relaxed).oldValue }
}

import Foundation

/// Threads of our own, which hold up nobody's tasks.
enum Threads {
    /// Does the same on a number of threads at once; returns when all are done.
    static func run<Outcome: Sendable>(
        _ count: Int, _ work: @escaping @Sendable () -> Outcome
    ) async -> [Outcome] {
        await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<count {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread { continuation.resume(returning: work()) }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

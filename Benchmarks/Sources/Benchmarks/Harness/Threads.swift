import Foundation

/// Separate threads, which do not block any task.
enum Threads {
    /// Runs the same work on a number of threads concurrently; returns when all are done.
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

import Synchronization

/// A counter that returns each number once.
final class Counter: Sendable {
    private let value = Atomic(0)

    func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
}

import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

// block 1

@Test private func story() async throws {
    // block 2

    // block 3

    // block 4
}

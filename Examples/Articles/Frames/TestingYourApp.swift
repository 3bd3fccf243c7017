import Foundation
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

private func session(in folder: URL) async throws {
    // block 1

    // block 2

    // block 3

    // block 4
}

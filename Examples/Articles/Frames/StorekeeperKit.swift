import StorekeeperKit
import StorekeeperSimulator

private func buy(in session: SimulatedSession) async throws {
    // block 1
}

import Foundation
import StorekeeperSimulator

private func keep(_ store: SimulatedAppStore, apps: [SimulatedApp], seed: UInt64, in folder: URL) throws {
    // block 1
}

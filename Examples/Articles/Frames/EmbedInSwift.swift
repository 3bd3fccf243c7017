import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperSQLite

// block 1 is a manifest, and the next a whole program: Scripts/embed.sh builds and runs them
// block 2 is that program

private func grantItems(_ transaction: Transaction) async throws {}

// block 3

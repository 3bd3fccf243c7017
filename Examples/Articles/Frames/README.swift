import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperSQLite

// block 1

private func grantItems(_ transaction: Transaction) async throws {}

// block 2

// block 3 is a part of a manifest

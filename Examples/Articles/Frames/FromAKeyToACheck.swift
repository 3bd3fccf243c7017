import Foundation
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSQLite

// block 1

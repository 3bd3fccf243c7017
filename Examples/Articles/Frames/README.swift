import Foundation
import Storekeeper
import StorekeeperJWS

// block 1 is a part of a manifest

// block 2

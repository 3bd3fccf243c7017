import Storekeeper

/// A fault that has begun, or the end of all of an app.
package struct BegunFault: Hashable, Sendable {
    /// The bundle id of the app.
    package let app: String
    /// The fault; `nil`: all of the app ended.
    package let fault: SimulatedFault?
}

extension SimulatedAppStore {
    /// The faults that began, and where all of an app ended, in order, behind the first so many.
    package func faults(after count: Int = 0) -> [BegunFault] {
        read { world in
            world.faults.dropFirst(count).map { BegunFault(app: world.apps[$0.app].bundleID, fault: $0.fault) }
        }
    }

    /// The notification that something has caused, with something wrong with it.
    ///
    /// - Returns: `nil` where it has caused none.
    /// - Throws: What the cryptographic library throws.
    package func notification(of id: Happening.ID, flaw: NotificationFlaw) throws -> String? {
        try read { world in
            guard let entry = world.journal.place(at: id) else { return nil }
            return try issuer.notification(entry, in: world, flaw: flaw)
        }
    }
}

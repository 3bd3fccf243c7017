import Storekeeper

/// A fault that has begun, or the end of all faults of an app.
package struct StartedFault: Hashable, Sendable {
    /// The bundle id of the app.
    package let app: String
    /// The fault; `nil` if all faults of the app ended.
    package let fault: SimulatedFault?
}

extension SimulatedAppStore {
    /// Returns the entries of the log of faults, in order, without the first `count` entries.
    package func faults(after count: Int = 0) -> [StartedFault] {
        read { world in
            world.faults.dropFirst(count).map { StartedFault(app: world.apps[$0.app].bundleID, fault: $0.fault) }
        }
    }

    /// Returns the notification of a happening, with a given flaw in the notification.
    ///
    /// - Returns: The notification, as compact JWS; `nil` if the happening has none.
    /// - Throws: Errors of the cryptographic library.
    package func notification(of id: Happening.ID, flaw: NotificationFlaw) throws -> String? {
        try read { world in
            guard let entry = world.journal.place(at: id) else { return nil }
            return try issuer.notification(entry, in: world, flaw: flaw)
        }
    }
}

import Storekeeper

/// The start of a simulated fault, or the end of all faults of an app.
package struct StartedFault: Hashable, Sendable {
    /// The bundle id of the app.
    package let app: String
    /// The fault; `nil` if all faults of the app ended.
    package let fault: SimulatedFault?
}

extension SimulatedAppStore {
    /// Returns the faults that were started or ended, in order, skipping the first `count`.
    package func faults(after count: Int = 0) -> [StartedFault] {
        read { world in
            world.faults.dropFirst(count).map { StartedFault(app: world.apps[$0.app].bundleID, fault: $0.fault) }
        }
    }

    /// Returns the notification about a happening, after adding a flaw, such as a wrong signature, to the notification.
    ///
    /// - Returns: The notification, as compact JWS; `nil` if the App Store sends no notification about the happening.
    /// - Throws: Errors of the cryptographic library.
    package func notification(of id: Happening.ID, flaw: NotificationFlaw) throws -> String? {
        try read { world in
            guard let entry = world.journal.place(at: id) else { return nil }
            return try issuer.notification(entry, in: world, flaw: flaw)
        }
    }
}

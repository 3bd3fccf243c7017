package import Storekeeper

/// The file in which a local App Store records its changes, so that a later process can restore the store.
///
/// The file is a scenario with the steps of the current branch of the story. Its comments contain the texts of the
/// steps, the other branches, the attempts to send notifications, and the changes of retention messages.
package protocol LocalJournal: Sendable {
    /// Appends whole lines durably.
    func append(_ text: String) throws

    /// Replaces the whole content atomically.
    func replace(with text: String) throws

    /// Stores a catalog durably, unless it is already stored.
    ///
    /// - Returns: The name of the catalog in the journal's scenario.
    func store(_ catalog: CatalogFile) throws -> String
}

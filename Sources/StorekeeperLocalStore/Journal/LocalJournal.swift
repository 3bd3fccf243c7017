package import Storekeeper

/// The file in which a local App Store records what happens, so that it can be served again.
///
/// It is a scenario of the current branch of the story; comments contain the words of the steps, the other branches,
/// and what happened to notifications and retention messages.
package protocol LocalJournal: Sendable {
    /// Appends whole lines durably.
    func append(_ text: String) throws

    /// Replaces the whole content atomically.
    func replace(with text: String) throws

    /// Stores a catalog durably, unless it is stored already.
    ///
    /// - Returns: The name by which the journal's scenario names it.
    func store(_ catalog: CatalogFile) throws -> String
}

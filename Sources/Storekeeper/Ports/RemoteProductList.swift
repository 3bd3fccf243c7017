import Synchronization

/// A product list that is fetched from a place, with the last good copy kept for when it cannot be.
///
/// The transport is the app's own, so that this library opens no connection. Call ``refresh()`` at the start and
/// whenever the list may have changed; products come from the last good copy, which a failed, empty or malformed
/// answer never takes away.
public final class RemoteProductList: ProductSource {
    /// A copy of the list as it was fetched.
    public struct Copy: Hashable, Sendable {
        /// The list: a file of any sort that ``Catalog`` reads.
        public var bytes: [UInt8]
        /// What the place calls this state of the list, to ask whether there is a newer one.
        public var etag: String?

        /// Makes a copy.
        public init(bytes: [UInt8], etag: String? = nil) {
            self.bytes = bytes
            self.etag = etag
        }
    }

    /// Where the last good copy is kept between starts.
    public struct Keeper: Sendable {
        /// Reads the copy; `nil` where there is none yet.
        package var load: @Sendable () async throws -> Copy?
        /// Writes a copy in place of the one before, all of it or nothing.
        package var save: @Sendable (Copy) async throws -> Void

        /// Makes a keeper of two functions.
        public init(
            load: @escaping @Sendable () async throws -> Copy?, save: @escaping @Sendable (Copy) async throws -> Void
        ) {
            self.load = load
            self.save = save
        }
    }

    /// What became of a refresh.
    public enum Outcome: Sendable {
        /// There is a new list; the error says why it could not be kept for the next start, where it could not.
        case updated(Catalog, notKept: (any Error)?)
        /// The list is the one that is known.
        case notModified
        /// Something was in the way; the last good list stays.
        case failed(any Error)
    }

    /// Asks a place for the list: the URL, and the ETag of the copy that is known.
    ///
    /// `nil` says that the list has not changed since that copy.
    public typealias Fetch = @Sendable (_ url: String, _ etag: String?) async throws -> Copy?

    private struct State {
        var copy: Copy?
        var catalog: Catalog?
        /// Counts refreshes, so that one that began earlier cannot undo a later one.
        var started = 0
        var accepted = 0
    }

    /// Where the list is.
    package let url: String
    private let fetch: Fetch
    private let keeper: Keeper?
    private let state = Mutex(State())

    /// Makes a list that is yet to be fetched.
    ///
    /// - Parameters:
    ///   - url: Where the list is; handed to `fetch` as it is.
    ///   - keeper: Where the last good copy is kept; `nil` keeps it in memory only.
    ///   - fetch: The transport. An answer that is no list, such as an error page, must be thrown or will be refused.
    public init(url: String, keeper: Keeper? = nil, fetch: @escaping Fetch) {
        self.url = url
        self.keeper = keeper
        self.fetch = fetch
    }

    /// What the last good copy says; `nil` before the first.
    package var catalog: Catalog? { state.withLock { $0.catalog } }

    /// The products of the last good copy among those asked for; where there is none yet it is fetched.
    ///
    /// - Throws: What was in the way where there is no good copy at all.
    public func products(for ids: [Product.ID]) async throws -> [Product] {
        if catalog == nil, case .failed(let error) = await refresh(), catalog == nil { throw error }
        return try await CatalogProductSource(catalog ?? .empty).products(for: ids)
    }

    /// Asks whether there is a newer list and takes it.
    ///
    /// The first time the copy that was kept is read, so that there is a list even where the place does not answer.
    public func refresh() async -> Outcome {
        let turn = state.withLock { state in
            state.started += 1
            return state.started
        }
        await restore()
        do {
            guard let copy = try await fetch(url, state.withLock { $0.copy?.etag }) else { return .notModified }
            let catalog = try Self.read(copy)
            let isNewest = state.withLock { state in
                guard turn > state.accepted else { return false }
                (state.copy, state.catalog, state.accepted) = (copy, catalog, turn)
                return true
            }
            guard isNewest else { return .notModified }
            do {
                try await keeper?.save(copy)
                return .updated(catalog, notKept: nil)
            } catch {
                return .updated(catalog, notKept: error)
            }
        } catch {
            return .failed(error)
        }
    }

    private func restore() async {
        // A copy that cannot be read is fetched again.
        guard catalog == nil, let copy = try? await keeper?.load(), let catalog = try? Self.read(copy) else { return }
        state.withLock { state in
            if state.catalog == nil { (state.copy, state.catalog) = (copy, catalog) }
        }
    }

    private static func read(_ copy: Copy) throws(CatalogError) -> Catalog {
        let catalog = try Catalog(reading: [CatalogFile(name: "product list", bytes: copy.bytes)])
        guard !catalog.products.isEmpty else {
            throw CatalogError(
                .noProductList, file: "product list", message: "it names no products",
                remedy: "the last good list stays; look at what the place answers")
        }
        return catalog
    }
}

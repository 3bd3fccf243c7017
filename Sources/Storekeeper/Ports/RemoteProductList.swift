import FoundationEssentials
import Synchronization

/// A product list that is fetched from a URL; the last good copy stays in use if a fetch fails.
///
/// The app supplies the transport, so that this library opens no connection. Call ``refresh()`` when the app starts,
/// and whenever the list may have changed. Products come from the last good copy, which a failed, empty or malformed
/// response never replaces.
public final class RemoteProductList: ProductSource {
    /// A fetched copy of the list.
    public struct Copy: Hashable, Sendable {
        /// The list: a file in any format that ``Catalog`` reads.
        public var bytes: [UInt8]
        /// The ETag of the list, with which the next fetch asks the server for a newer list.
        public var etag: String?

        /// Creates a copy.
        public init(bytes: [UInt8], etag: String? = nil) {
            self.bytes = bytes
            self.etag = etag
        }
    }

    /// Storage in which the last good copy survives a restart of the app.
    public struct Cache: Sendable {
        /// Reads the stored copy; returns `nil` if no copy is stored yet.
        package var load: @Sendable () async throws -> Copy?
        /// Replaces the stored copy atomically.
        package var save: @Sendable (Copy) async throws -> Void

        /// Creates a cache from two functions.
        public init(
            load: @escaping @Sendable () async throws -> Copy?, save: @escaping @Sendable (Copy) async throws -> Void
        ) {
            self.load = load
            self.save = save
        }
    }

    /// The result of a refresh.
    public enum Outcome: Sendable {
        /// The list was replaced; `notKept` is the error if the new list could not be saved for the next start of the
        /// app.
        case updated(Catalog, notKept: (any Error)?)
        /// The list has not changed, or a refresh that began later has already replaced it.
        case notModified
        /// The refresh failed; the last good list stays in use.
        case failed(any Error)
    }

    /// A function that fetches the list from a URL and sends the ETag of the known copy, if it has one.
    ///
    /// The function returns `nil` if the list has not changed since the known copy.
    public typealias Fetch = @Sendable (_ url: String, _ etag: String?) async throws -> Copy?

    private struct State {
        var copy: Copy?
        var catalog: Catalog?
        /// The number of refreshes so far, so that a refresh cannot replace the list of a refresh that began later.
        var started = 0
        var accepted = 0
    }

    /// The URL of the list.
    package let url: String
    private let fetch: Fetch
    private let cache: Cache?
    private let state = Mutex(State())

    /// Creates a list that is not fetched yet.
    ///
    /// - Parameters:
    ///   - url: The URL of the list; passed to `fetch` unchanged.
    ///   - cache: The storage for the last good copy; `nil` keeps the copy only in memory.
    ///   - fetch: The transport. It should throw an error for a response that is not a list, such as an error page. If
    ///     it returns such a response, the refresh fails.
    public init(url: String, cache: Cache? = nil, fetch: @escaping Fetch) {
        self.url = url
        self.cache = cache
        self.fetch = fetch
    }

    /// The catalog of the last good copy; `nil` if no good copy exists.
    package var catalog: Catalog? { state.withLock { $0.catalog } }

    /// Returns the requested products of the last good copy; fetches the list first if no copy exists.
    ///
    /// - Throws: The error of the fetch if no good copy exists.
    public func products(for ids: [Product.ID]) async throws -> [Product] {
        if catalog == nil, case .failed(let error) = await refresh(), catalog == nil { throw error }
        return try await CatalogProductSource(catalog ?? .empty).products(for: ids)
    }

    /// Fetches the list if the server has a newer list.
    ///
    /// The first call reads the stored copy, so that products are available even if the fetch fails.
    public func refresh() async -> Outcome {
        let turn = state.withLock { state in
            state.started += 1
            return state.started
        }
        await restore()
        do {
            guard let copy = try await fetch(url, state.withLock { $0.copy?.etag }) else {
                // Without a copy, `notModified` would leave the app without products.
                guard catalog != nil else {
                    throw CatalogError(
                        .noProductList, file: "product list",
                        message: "the server sent no list, although there is no copy",
                        remedy: "check the caches between this program and the URL")
                }
                return .notModified
            }
            let catalog = try Self.read(copy)
            let isNewest = state.withLock { state in
                guard turn > state.accepted else { return false }
                (state.copy, state.catalog, state.accepted) = (copy, catalog, turn)
                return true
            }
            guard isNewest else { return .notModified }
            do {
                try await save()
                return .updated(catalog, notKept: nil)
            } catch {
                return .updated(catalog, notKept: error)
            }
        } catch {
            return .failed(error)
        }
    }

    /// Saves the newest copy.
    ///
    /// Saves of concurrent refreshes can end in any order. Each refresh therefore saves again until no newer copy was
    /// accepted in the meantime.
    private func save() async throws {
        guard let cache else { return }
        while let (copy, turn) = state.withLock({ state in state.copy.map { ($0, state.accepted) } }) {
            try await cache.save(copy)
            if state.withLock({ $0.accepted == turn }) { return }
        }
    }

    private func restore() async {
        // A stored copy that cannot be read is ignored, and the list is fetched.
        guard catalog == nil, let copy = try? await cache?.load(), let catalog = try? Self.read(copy) else { return }
        state.withLock { state in
            if state.catalog == nil { (state.copy, state.catalog) = (copy, catalog) }
        }
    }

    private static func read(_ copy: Copy) throws(CatalogError) -> Catalog {
        let catalog = try Catalog(reading: [CatalogFile(name: "product list", bytes: copy.bytes)])
        guard !catalog.products.isEmpty else {
            throw CatalogError(
                .noProductList, file: "product list", message: "it contains no products",
                remedy: "the last valid list stays in use; check the response of the URL")
        }
        return catalog
    }
}

extension RemoteProductList.Cache {
    /// Returns a cache that stores the copy in one file: the ETag on the first line, then the list.
    ///
    /// The ETag and the list are in one file, so that they always belong together. If an older list were stored with
    /// the ETag of a newer list, the server would not send the newer list again.
    ///
    /// - Parameter path: The path of the file; its folder must exist.
    public static func file(_ path: String) -> Self {
        Self {
            guard let content = FileManager.default.contents(atPath: path), let end = content.firstIndex(of: lineFeed)
            else { return nil }
            let etag = String(decoding: content[..<end], as: UTF8.self)
            return RemoteProductList.Copy(
                bytes: [UInt8](content[content.index(after: end)...]), etag: etag.isEmpty ? nil : etag)
        } save: { copy in
            var content = Data((copy.etag ?? "").utf8.filter { $0 != lineFeed })
            content.append(lineFeed)
            content.append(contentsOf: copy.bytes)
            try content.write(to: URL(filePath: path), options: .atomic)
        }
    }

    private static var lineFeed: UInt8 { UInt8(ascii: "\n") }
}

import Foundation
import Storekeeper
import Synchronization

@testable import StorekeeperLocalStore

/// A journal in memory.
final class MemoryJournal: LocalJournal {
    private struct State {
        var text: String
        var fails = false
        var catalogs: [String: CatalogFile] = [:]
        var replacements = 0
    }

    private let state: Mutex<State>

    init(_ text: String) { state = Mutex(State(text: text)) }

    var text: String { state.withLock { $0.text } }
    /// The number of times that the whole content was replaced.
    var replacements: Int { state.withLock { $0.replacements } }

    /// Sets whether all further writes fail.
    func fail(_ fails: Bool = true) { state.withLock { $0.fails = fails } }

    func append(_ text: String) throws {
        try state.withLock { state in
            if state.fails { throw CocoaError(.fileWriteOutOfSpace) }
            state.text += text
        }
    }

    func replace(with text: String) throws {
        try state.withLock { state in
            if state.fails { throw CocoaError(.fileWriteOutOfSpace) }
            state.text = text
            state.replacements += 1
        }
    }

    func store(_ catalog: CatalogFile) throws -> String {
        state.withLock { state in
            let known = state.catalogs.first { $0.value.bytes == catalog.bytes }?.key
            let name = known ?? "catalog-\(state.catalogs.count + 1)"
            state.catalogs[name] = catalog
            return name
        }
    }

    /// Returns a stored catalog.
    func catalog(_ name: String) throws -> CatalogFile {
        guard let file = state.withLock({ $0.catalogs[name] }) else { throw CocoaError(.fileNoSuchFile) }
        return file
    }
}

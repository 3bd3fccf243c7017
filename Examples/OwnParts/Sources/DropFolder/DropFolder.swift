import Foundation
import Storekeeper
import Synchronization

/// A backend that reads files of signed evidence from a folder, named `CUSTOMER.NUMBER.jws`.
///
/// Each file contains compact JWS, one per line. The number defines the order of the files; the history of a customer
/// is all of their files.
package final class DropFolder: StoreBackend {
    package let name: String
    private let folder: URL
    private let clock: any StoreClock
    /// The finished transactions, for tests.
    package var finished: [DurableGrant] { finishedGrants.withLock { $0 } }
    private let finishedGrants = Mutex<[DurableGrant]>([])

    /// The pause before the folder is read again.
    private static let pause: Duration = .milliseconds(500)

    package init(_ folder: URL, clock: any StoreClock = WallClock()) {
        self.folder = folder
        self.clock = clock
        name = "drop-folder"
    }

    private struct File: Sendable {
        let number: Int
        let customer: CustomerID
        let url: URL

        init?(_ url: URL) {
            let parts = url.lastPathComponent.split(separator: ".")
            guard parts.count == 3, parts[2] == "jws", let number = Int(parts[1]) else { return nil }
            (self.number, customer, self.url) = (number, CustomerID(rawValue: String(parts[0])), url)
        }

        func items() throws -> [String] {
            try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
        }
    }

    private func files() throws -> [File] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .compactMap(File.init).sorted { $0.number < $1.number }
    }

    /// Returns a file as one page; its number is the cursor.
    package func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage {
        let previous = cursor.flatMap { Int($0.rawValue) } ?? .min
        let files = try files().filter { $0.customer == customer && $0.number > previous }
        guard let file = files.first else { return EvidencePage(items: []) }
        return EvidencePage(
            items: try file.items(), next: files.count > 1 ? HistoryCursor(rawValue: String(file.number)) : nil)
    }

    /// A folder has no statuses: the store finds the newest copies itself.
    package func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus] { [] }

    package func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        Updates(folder: self, start: cursor.flatMap { Int($0.rawValue) } ?? .min)
    }

    package func finish(_ grant: DurableGrant) async throws { finishedGrants.withLock { $0.append(grant) } }

    /// Delivers the files after a number in order, and continues with new ones.
    private struct Updates: AsyncSequence, Sendable {
        let folder: DropFolder
        let start: Int

        func makeAsyncIterator() -> Iterator { Iterator(folder: folder, last: start) }

        struct Iterator: AsyncIteratorProtocol {
            let folder: DropFolder
            var last: Int
            var hasFailed = false

            mutating func next() async -> TransactionUpdate? { await next(isolation: nil) }

            mutating func next(isolation actor: isolated (any Actor)?) async -> TransactionUpdate? {
                while !Task.isCancelled {
                    do {
                        if let file = try folder.files().first(where: { $0.number > last }) {
                            let items = try file.items()
                            (last, hasFailed) = (file.number, false)
                            return TransactionUpdate(
                                .evidence(items), customer: file.customer,
                                cursor: UpdateCursor(rawValue: String(file.number)))
                        }
                    } catch  where !hasFailed {
                        // Reported once; the stream continues, and the file is retried.
                        hasFailed = true
                        return TransactionUpdate(.failure(error))
                    } catch {}
                    try? await folder.clock.sleep(until: folder.clock.now.advanced(by: DropFolder.pause))
                }
                return nil
            }
        }
    }
}

import Foundation
import Storekeeper

/// Reads a file to which another program appends lines: a customer's id, a tab, and a compact JWS.
struct EvidenceLog: StoreBackend {
    let name = "evidence-log"
    let file: URL

    private func entries() throws -> [(customer: CustomerID, jws: String)] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            guard let tab = line.firstIndex(of: "\t") else { return nil }
            return (customer: CustomerID(rawValue: String(line[..<tab])), jws: String(line[tab...].dropFirst()))
        }
    }

    func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage {
        EvidencePage(items: try entries().filter { $0.customer == customer }.map(\.jws))  // one page
    }

    func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus] { [] }

    func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        AsyncStream<TransactionUpdate> { continuation in
            let task = Task {
                var position = cursor.flatMap { Int($0.rawValue) } ?? 0
                while !Task.isCancelled {
                    do {
                        for entry in try entries().dropFirst(position) {
                            position += 1
                            continuation.yield(
                                TransactionUpdate(
                                    .evidence([entry.jws]), customer: entry.customer,
                                    cursor: UpdateCursor(rawValue: String(position))))
                        }
                    } catch {
                        continuation.yield(TransactionUpdate(.failure(error)))  // reported, and tried again
                    }
                    try? await Task.sleep(for: .seconds(1))
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func finish(_ grant: DurableGrant) async throws {}  // a file need not be told
}

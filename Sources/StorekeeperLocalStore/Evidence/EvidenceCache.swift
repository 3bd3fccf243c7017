import Storekeeper
import StorekeeperSimulator
import Synchronization

/// A cache of the verified evidence of customers, such as signed transactions.
///
/// With the cache, a page does not sign and verify a long history again.
final class EvidenceCache: Sendable {
    /// A verified item, and the app for which it was verified.
    private struct Entry {
        let app: String
        let evidence: CheckedEvidence
    }

    /// The maximum number of items; if an addition would exceed this number, the cache is first emptied.
    private static let capacity = 50_000

    private let entries = Mutex<[UInt64: Entry]>([:])

    /// Returns the evidence of a customer as it was at an instant, and the verification results of its items.
    ///
    /// - Parameter verify: Verifies an item.
    /// - Throws: ``SimulatorError`` if the customer or app does not exist; errors of the cryptographic library.
    func evidence(
        of customer: CustomerID, app: String, signedThrough instant: Instant?, in store: SimulatedAppStore,
        verify: (String) -> CheckedEvidence
    ) throws -> (evidence: CustomerEvidence, checked: [CheckedEvidence]) {
        let (evidence, checked, fresh) = try read(of: customer, app: app, signedThrough: instant, in: store, verify)
        if !fresh.isEmpty {
            entries.withLock { entries in
                if entries.count + fresh.count > Self.capacity { entries = [:] }
                entries.merge(fresh) { _, new in new }
            }
        }
        return (evidence, checked)
    }

    /// Returns the evidence, the verification results of its items, and the results that the cache does not have yet.
    private func read(
        of customer: CustomerID, app: String, signedThrough instant: Instant?, in store: SimulatedAppStore,
        _ verify: (String) -> CheckedEvidence
    ) throws -> (evidence: CustomerEvidence, checked: [CheckedEvidence], fresh: [UInt64: Entry]) {
        // The copy of the entries is released on return, so that a later addition does not copy the dictionary.
        let known = entries.withLock { $0 }
        let evidence = try store.customerEvidence(of: customer, app: app, signedThrough: instant) { number in
            known[number]?.app == app
        }
        var fresh: [UInt64: Entry] = [:]
        let checked = evidence.items.compactMap { item -> CheckedEvidence? in
            guard let jws = item.jws else { return known[item.number]?.evidence }
            let result = verify(jws)
            if !item.isFlawed { fresh[item.number] = Entry(app: app, evidence: result) }
            return result
        }
        return (evidence, checked, fresh)
    }
}

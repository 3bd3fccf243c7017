/// The renewal infos of one original transaction: each version once, in order of signing.
///
/// All versions are stored, because the transaction that a version applies to may arrive later. The order in which
/// versions arrive does not matter, and neither do repeated arrivals.
struct RenewalInfoSeries: Sendable {
    /// The infos in order of signing, except the ``late`` ones.
    private var infos: [RenewalInfoFact] = []
    /// The infos that arrived out of order: each was signed before the last element of ``infos``.
    ///
    /// ``sort()`` moves them into ``infos``.
    private var late: Set<RenewalInfoFact> = []
    /// The app transaction ids in the infos; a series usually has only one.
    private var downloads: Set<String> = []

    /// The result of adding an info.
    enum Insertion {
        /// The info was already known.
        case known
        /// The info was appended in order.
        case appended
        /// The info was signed before an info that was added earlier; ``sort()`` moves it into order.
        case late
    }

    /// Adds an info.
    ///
    /// - Complexity: O(1) for an info that was signed after all others, O(log *n*) for any other info.
    mutating func insert(_ fact: RenewalInfoFact) -> Insertion {
        if let last = infos.last, !Self.precedes(last, fact) {
            guard !contains(fact), late.insert(fact).inserted else { return .known }
            record(fact)
            return .late
        }
        infos.append(fact)
        record(fact)
        return .appended
    }

    private mutating func record(_ fact: RenewalInfoFact) {
        if let download = fact.renewalInfo.appTransactionID { downloads.insert(download) }
    }

    private func contains(_ fact: RenewalInfoFact) -> Bool {
        let index = infos.partitioningIndex { !Self.precedes($0, fact) }
        return index < infos.count && infos[index] == fact
    }

    /// Moves the late infos into order, at the cost of rebuilding the series.
    mutating func sort() {
        guard !late.isEmpty else { return }
        infos = (infos + late).sorted(by: Self.precedes)
        late = []
    }

    /// All infos in order of signing.
    var all: [RenewalInfoFact] { infos }

    /// Returns the infos that may belong to a chain, in order of signing.
    ///
    /// - Complexity: O(1) if all infos may belong to the chain, which is nearly always true.
    func infos(of chain: PurchaseChain) -> [RenewalInfoFact] {
        if downloads.allSatisfy(chain.downloads.mayInclude) { return infos }
        return infos.filter { chain.mayOwn($0.renewalInfo) }
    }

    /// Orders infos by signing time; of two infos that were signed at the same instant, the info that supersedes the
    /// other comes last.
    private static func precedes(_ left: RenewalInfoFact, _ right: RenewalInfoFact) -> Bool {
        CopyOrder.supersedes(right.renewalInfo, left.renewalInfo)
    }
}

extension RenewalInfoSeries: Equatable {
    /// Returns whether two series have the same infos.
    static func == (left: RenewalInfoSeries, right: RenewalInfoSeries) -> Bool {
        left.infos == right.infos && left.late == right.late
    }
}

/// A renewal info in a history, shared by everything that refers to it.
package final class RenewalInfoFact: Hashable, Sendable {
    /// The renewal info.
    package let renewalInfo: RenewalInfo

    init(_ renewalInfo: RenewalInfo) { self.renewalInfo = renewalInfo }

    /// Returns whether two facts are the same version of the same renewal info.
    package static func == (left: RenewalInfoFact, right: RenewalInfoFact) -> Bool {
        left === right
            || (left.renewalInfo.signedAt == right.renewalInfo.signedAt
                && left.renewalInfo.source.payload == right.renewalInfo.source.payload)
    }

    /// Hashes the signing time, which alone distinguishes nearly all versions.
    package func hash(into hasher: inout Hasher) { hasher.combine(renewalInfo.signedAt) }
}

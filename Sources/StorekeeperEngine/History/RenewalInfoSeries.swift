/// What the App Store has said of the future of one original transaction: each version once, in the order of signing.
///
/// All versions stay. Which of them speaks of which transaction can only be told beside the transactions, and these may
/// arrive later; so taking one in is a union, which neither order nor number of arrivals changes.
struct RenewalInfoSeries: Sendable {
    /// In order, but for those that came late.
    private var infos = LeafArray<RenewalInfoFact>()
    /// Those that were signed before the last and wait for ``sort()``.
    private var late: Set<RenewalInfoFact> = []
    /// The downloads of the app that the infos name: mostly one.
    private var downloads: Set<String> = []

    /// What came of taking in an info.
    enum Insertion {
        /// It was there.
        case known
        /// It stands at the end, where it belongs.
        case appended
        /// It was signed before others: ``sort()`` puts it to its place.
        case late
    }

    /// Takes in an info.
    ///
    /// - Complexity: O(1) for one that is signed after all others, O(log *n*) for others.
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
        var low = 0
        var high = infos.count
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(infos[middle], fact) { low = middle + 1 } else { high = middle }
        }
        return low < infos.count && infos[low] == fact
    }

    /// Puts those that came late to their places, at the cost of making the series again.
    mutating func sort() {
        guard !late.isEmpty else { return }
        infos = LeafArray((infos.elements + late).sorted(by: Self.precedes))
        late = []
    }

    /// All infos, the one signed last last.
    var all: LeafArray<RenewalInfoFact> { infos }

    /// The infos that may be of a chain, the one signed last last.
    ///
    /// - Complexity: O(1) where all may be, as is nearly always so.
    func infos(of chain: PurchaseChain) -> LeafArray<RenewalInfoFact> {
        if downloads.allSatisfy(chain.downloads.mayInclude) { return infos }
        return LeafArray(infos.lazy.filter { chain.mayOwn($0.renewalInfo) })
    }

    /// Of several that were signed at one instant the one that wins stands last.
    private static func precedes(_ left: RenewalInfoFact, _ right: RenewalInfoFact) -> Bool {
        CopyOrder.supersedes(right.renewalInfo, left.renewalInfo)
    }
}

extension RenewalInfoSeries: Equatable {
    /// Whether both have the same infos.
    static func == (left: RenewalInfoSeries, right: RenewalInfoSeries) -> Bool {
        left.infos == right.infos && left.late == right.late
    }
}

/// A renewal info that the engine has taken in, shared by everything that refers to it.
package final class RenewalInfoFact: Hashable, Sendable {
    /// The renewal info.
    package let renewalInfo: RenewalInfo

    init(_ renewalInfo: RenewalInfo) { self.renewalInfo = renewalInfo }

    /// Equal facts are the same version of the same renewal info.
    package static func == (left: RenewalInfoFact, right: RenewalInfoFact) -> Bool {
        left === right
            || (left.renewalInfo.signedAt == right.renewalInfo.signedAt
                && left.renewalInfo.source.payload == right.renewalInfo.source.payload)
    }

    /// Hashes when it was signed, which alone tells nearly all versions apart.
    package func hash(into hasher: inout Hasher) { hasher.combine(renewalInfo.signedAt) }
}

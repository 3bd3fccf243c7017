/// The part of a chain in one subscription group: usually all of it.
///
/// A value with one object as storage (copy-on-write), so that a copy is cheap.
struct GroupChain: Sendable {
    // Safe though unchecked: it is changed only while a single line refers to it, by that line, to which a mutating
    // call has exclusive access.
    private final class Content: @unchecked Sendable {
        let id: PurchaseChain.ID
        var chain: SubscriptionChain
        var listed: GroupMembers.Listed
        var trackCount: Int

        init(id: PurchaseChain.ID, chain: SubscriptionChain, listed: GroupMembers.Listed, trackCount: Int) {
            self.id = id
            self.chain = chain
            self.listed = listed
            self.trackCount = trackCount
        }
    }

    private var content: Content

    init(id: PurchaseChain.ID, chain: SubscriptionChain, listed: GroupMembers.Listed) {
        content = Content(id: id, chain: chain, listed: listed, trackCount: 0)
    }

    var id: PurchaseChain.ID { content.id }

    var chain: SubscriptionChain {
        _read { yield content.chain }
        _modify {
            makeOwn()
            yield &content.chain
        }
    }

    /// The groups and downloads that its records name.
    var listed: GroupMembers.Listed {
        get { content.listed }
        set {
            makeOwn()
            content.listed = newValue
        }
    }

    /// The number of its products that were added to the evidence.
    var trackCount: Int {
        get { content.trackCount }
        set {
            makeOwn()
            content.trackCount = newValue
        }
    }

    private mutating func makeOwn() {
        guard !isKnownUniquelyReferenced(&content) else { return }
        content = Content(id: content.id, chain: content.chain, listed: content.listed, trackCount: content.trackCount)
    }
}

/// The transactions of a chain that belong to one subscription group; usually the whole chain.
///
/// The value has one object as its storage, which is copied on write, so that copying the value is cheap.
struct GroupChain: Sendable {
    // The unchecked conformance is safe: the content is changed only while a single `GroupChain` refers to it, and only
    // by a mutating call, which has exclusive access to this `GroupChain`.
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

    /// The groups and app transaction ids in the transactions of the chain.
    var listed: GroupMembers.Listed {
        get { content.listed }
        set {
            makeOwn()
            content.listed = newValue
        }
    }

    /// The number of the chain's products that were added to the evidence of products.
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

/// What a chain has of one subscription group: mostly all of it.
///
/// One object stands behind it, so that a copy costs little; a change copies it where somebody else has it, too.
struct LineOfService: Sendable {
    // Safe though unchecked: changed only while one line alone refers to it, by that line, which a mutating call has
    // for itself.
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

    /// What its records say of groups and downloads.
    var listed: GroupMembers.Listed {
        get { content.listed }
        set {
            makeOwn()
            content.listed = newValue
        }
    }

    /// How many of its products are put to the evidence.
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

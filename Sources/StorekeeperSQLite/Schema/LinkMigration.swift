import FoundationEssentials
import Storekeeper
import StorekeeperDurable

/// Makes links of the facts and bindings that a vault of schema 1 holds, behind the links that it has.
///
/// The old links stay as they are: what was wrong with them is still found.
struct LinkMigration {
    private static let rows = Query(
        """
        SELECT sequence, 0, sequence, learned, digest, signature, NULL, NULL, NULL, NULL, NULL FROM fact
        UNION ALL
        SELECT sequence, 1, chain.id, bound, NULL, NULL, name, salt, bundle, environment, original
          FROM chain JOIN customer ON customer.id = chain.customer
        UNION ALL
        SELECT sequence, 2, 0, bound, token, NULL, name, salt, NULL, NULL, NULL
          FROM token JOIN customer ON customer.id = token.customer
        ORDER BY 1
        """)
    private static let linkFact = Query("UPDATE fact SET previous = ?, hash = ? WHERE sequence = ?")
    private static let linkChain = Query("UPDATE chain SET previous = ?, hash = ? WHERE id = ?")
    private static let linkToken = Query("UPDATE token SET previous = ?, hash = ? WHERE token = ?")

    let session: Session

    func run() throws(VaultError) {
        // Each row is changed after it was read, and only in columns that nothing is sorted by.
        try session.forEach(Self.rows) { row throws(VaultError) in
            let (sequence, kind, number, at) = (row.int(), row.int(), row.int(), row.instant())
            let first = row.blob()
            let link: Link
            switch kind {
            case 0:
                let signature = row.nextIsText ? Array(row.text().utf8) : row.blob()
                link = try session.link(
                    LinkContent(factAt: sequence, learnedAt: at, digest: first, signature: signature))
                try session.run(Self.linkFact) {
                    $0.link(link)
                    $0.int(number)
                }
            case 1:
                var rest = row.skipping(6)
                let (name, salt) = (CustomerID(rawValue: rest.text()), rest.blob())
                let chain = ChainID(
                    bundleID: rest.text(), environment: AppStore.Environment(rawValue: rest.text()),
                    originalID: Transaction.ID(rawValue: rest.text()))
                let binding = Binding(place: FeedPlace(sequence), subject: .chain(chain), customer: name, at: at)
                link = try session.link(LinkContent(binding, salt: salt))
                try session.run(Self.linkChain) {
                    $0.link(link)
                    $0.int(number)
                }
            default:
                var rest = row.skipping(6)
                let (name, salt) = (CustomerID(rawValue: rest.text()), rest.blob())
                guard let token = UUID(bytes: first) else { throw session.file.corrupt("a token that is no UUID") }
                let binding = Binding(place: FeedPlace(sequence), subject: .token(token), customer: name, at: at)
                link = try session.link(LinkContent(binding, salt: salt))
                try session.run(Self.linkToken) {
                    $0.link(link)
                    $0.blob(first)
                }
            }
            session.endChain(at: sequence, with: link.hash)
        }
        try session.closeChainHead()
    }
}

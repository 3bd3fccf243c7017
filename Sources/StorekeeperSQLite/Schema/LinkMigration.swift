import FoundationEssentials
import Storekeeper
import StorekeeperDurable

/// Adds the facts and bindings of a vault of schema 1 to the vault's hash chain.
///
/// The existing links do not change, so that an integrity check still finds faults in these links.
struct LinkMigration {
    private static let rows = Statement(
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
    private static let linkFact = Statement("UPDATE fact SET previous = ?, hash = ? WHERE sequence = ?")
    private static let linkChain = Statement("UPDATE chain SET previous = ?, hash = ? WHERE id = ?")
    private static let linkToken = Statement("UPDATE token SET previous = ?, hash = ? WHERE token = ?")

    let connection: Connection

    func run() throws(VaultError) {
        // The rows can be changed while the query runs: each row is changed after it was read, and only in columns that
        // do not affect the order.
        try connection.forEach(Self.rows) { row throws(VaultError) in
            let (sequence, kind, number, at) = (row.int(), row.int(), row.int(), row.instant())
            let first = row.bytes()
            let link: Link
            switch kind {
            case 0:
                let signature = row.nextIsText ? Array(row.text().utf8) : row.bytes()
                link = try connection.link(
                    LinkContent(factAt: sequence, learnedAt: at, digest: first, signature: signature))
                try connection.run(Self.linkFact) {
                    $0.link(link)
                    $0.int(number)
                }
            case 1:
                var rest = row.skipping(6)
                let (name, salt) = (CustomerID(rawValue: rest.text()), rest.bytes())
                let chain = ChainID(
                    bundleID: rest.text(), environment: AppStore.Environment(rawValue: rest.text()),
                    originalID: Transaction.ID(rawValue: rest.text()))
                let binding = Binding(place: FeedPlace(sequence), subject: .chain(chain), customer: name, at: at)
                link = try connection.link(LinkContent(binding, salt: salt))
                try connection.run(Self.linkChain) {
                    $0.link(link)
                    $0.int(number)
                }
            default:
                var rest = row.skipping(6)
                let (name, salt) = (CustomerID(rawValue: rest.text()), rest.bytes())
                guard let token = UUID(bytes: first) else {
                    throw connection.file.corrupt("a token that is not a UUID")
                }
                let binding = Binding(place: FeedPlace(sequence), subject: .token(token), customer: name, at: at)
                link = try connection.link(LinkContent(binding, salt: salt))
                try connection.run(Self.linkToken) {
                    $0.link(link)
                    $0.bytes(first)
                }
            }
            connection.endChain(at: sequence, with: link.hash)
        }
        try connection.closeChainHead()
    }
}

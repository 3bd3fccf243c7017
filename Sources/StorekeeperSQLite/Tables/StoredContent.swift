import FoundationEssentials
import Storekeeper
import StorekeeperDurable

extension StoredContent {
    /// Reads the columns `header`, `payload` and `signature`.
    init(_ row: inout RowReader, in connection: Connection) throws(VaultError) {
        self.init(
            header: try connection.header(row.int()), payload: row.bytes(),
            signature: row.nextIsText ? .verbatim(Array(row.text().utf8)) : .content(row.bytes()))
    }
}

/// The column values of a fact, which are computed before the step that inserts the fact runs.
final class PreparedFact: Sendable {
    let content: StoredContent
    let digest: [UInt8]
    /// The chain, if the fact is a transaction.
    let chain: ChainID?
    /// The id, if the fact is a transaction; `nil` if the id is the same as the original id of the chain.
    let subjectBesideChain: String?
    /// The original transaction id and environment, if the fact is not a transaction.
    let original: (id: String, environment: String)?
    /// The account token, if the fact is a transaction.
    let token: UUID?
    private let fact: VerifiedFact

    init(_ fact: VerifiedFact) throws(VaultError) {
        content = try StoredContent(fact)
        digest = content.digest
        self.fact = fact
        original = fact.purchase.map { ($0.originalID.rawValue, $0.environment.rawValue) }
        if let transaction = fact.transaction {
            chain = ChainID(transaction)
            subjectBesideChain = transaction.id == transaction.originalID ? nil : transaction.id.rawValue
            token = transaction.appAccountToken
        } else {
            chain = nil
            subjectBesideChain = nil
            token = nil
        }
    }

    /// Returns whether this value was prepared from the given fact.
    func isMade(of fact: VerifiedFact) -> Bool { self.fact.isIdentical(to: fact) }
}

extension SQLiteTables {
    /// Returns the column values of a fact, which may already be prepared.
    func columns(of fact: VerifiedFact) throws(VaultError) -> PreparedFact {
        if let first = prepared.first, first.isMade(of: fact) { return first }
        return try PreparedFact(fact)
    }
}

extension ArgumentBinder {
    mutating func signature(_ signature: StoredContent.Signature) {
        switch signature {
        case .content(let content): bytes(content)
        case .verbatim(let text): self.text(String(decoding: text, as: UTF8.self))
        }
    }
}

extension Connection {
    private static let findHeader = Statement("SELECT id FROM jws_header WHERE digest = ?")
    private static let readHeader = Statement("SELECT segment FROM jws_header WHERE id = ?")
    private static let addHeader = Statement("INSERT INTO jws_header(digest, segment) VALUES(?, ?)")

    /// Returns the header segment that is stored under a number.
    func header(_ number: Int64) throws(VaultError) -> CompactJWS.HeaderSegment {
        if let segment = headers.segment(number) { return segment }
        if let fresh = newHeaders.first(where: { $0.id == number }) { return fresh.segment }
        let bytes = try first(Self.readHeader) {
            $0.int(number)
        } _: {
            $0.bytes()
        }
        guard let bytes else { throw file.corrupt("a fact without its header") }
        let segment = CompactJWS.HeaderSegment(bytes: bytes)
        newHeaders.append((number, segment))
        return segment
    }

    /// Returns the number of a header segment; inserts the segment if necessary.
    func number(ofHeader segment: CompactJWS.HeaderSegment) throws(VaultError) -> Int64 {
        if let number = headers.id(of: segment) { return number }
        if let fresh = newHeaders.first(where: { $0.segment == segment }) { return fresh.id }
        let digest = Digests.sha256(segment.bytes)
        let found = try first(Self.findHeader) {
            $0.bytes(digest)
        } _: {
            $0.int()
        }
        if let found {
            newHeaders.append((found, segment))
            return found
        }
        try run(Self.addHeader) {
            $0.bytes(digest)
            $0.bytes(segment.bytes)
        }
        let number = lastInsertedRow
        newHeaders.append((number, segment))
        return number
    }

    /// Adds to the shared cache the headers that a committed transaction has inserted.
    func cacheHeaders() {
        for header in newHeaders { headers.insert(header.segment, under: header.id) }
        newHeaders = []
    }
}

extension SQLiteTables {
    func number(of header: CompactJWS.HeaderSegment) throws(VaultError) -> Int64 {
        try connection.number(ofHeader: header)
    }
}

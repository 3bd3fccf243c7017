/// Stores everything that must not be lost: facts, accounts, bindings, events and outstanding deliveries.
///
/// There are three vaults: ``InMemoryVault``, `SQLiteVault` and `PostgresVault`. You open one of them and pass it to a
/// ``Store`` or ``StorePool``, which make all other calls. A vault of your own is not possible, because its
/// ``implementation`` cannot be created outside of Storekeeper.
///
/// Every vault obeys the following laws:
///
/// - Each call that writes is one atomic step. When the call returns, its changes survive the end of the process; when
///   the call throws, nothing has changed.
/// - Many tasks may call a vault at once, and several processes may share its storage. The rows that a step reads or
///   writes do not change until the step is written; other rows may change.
/// - Entries are numbered within their account from 1 and without gaps, even if steps fail. A ``FeedPlace`` is a
///   position in one storage: a reader that continues after a place misses no later row, and reads no row twice.
/// - Long lists are read in pages. A row that exists during the whole reading is neither missed nor repeated, even if
///   other callers write meanwhile.
/// - Facts and entries are only added. Only ``erase(_:reason:at:)`` removes them.
/// - Ids, keys and names are compared by their bytes, like a `ByteIdentifier` or ``CustomerID``: two texts that look
///   the same but differ in their bytes are different.
/// - A call that has begun completes even if its task is cancelled, because a cancelled read must not look like a read
///   that has found nothing.
public protocol Vault: Sendable {
    /// The rule by which an account token identifies the owner of a purchase.
    var accountTokens: AccountTokenRule { get }

    /// The vault as a store uses it.
    var implementation: VaultImplementation { get }

    // MARK: Customers

    /// Returns a page of customers, in order of id.
    ///
    /// - Parameters:
    ///   - previous: The last customer of the previous page; `nil` for the first page.
    ///   - limit: The maximum number of customers.
    func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID]

    // MARK: Evidence

    /// Returns a page of the parked facts, oldest first.
    ///
    /// - Parameters:
    ///   - place: The ``VaultPage/next`` of the previous page; ``FeedPlace/start`` for the first page.
    ///   - limit: The maximum number of facts.
    func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact>

    /// Returns the owners of chains and tokens; chains and tokens without an owner are left out.
    ///
    /// With the rule ``AccountTokenRule/asIDs``, an unbound token belongs to the customer whose id is the token, if the
    /// vault has a row of that customer.
    func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID]

    /// Returns the bindings of a customer's chains and tokens, oldest first.
    func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding]

    // MARK: Accounts

    /// Returns the balances of a customer, by name.
    func balances(of customer: CustomerID) async throws(VaultError) -> [Balance]

    /// Returns a page of account entries, in the order in which they were written.
    ///
    /// - Parameters:
    ///   - place: The position in the feed after which the page begins; ``FeedPlace/start`` for the first page.
    ///   - customer: The customer; `nil` for the entries of all customers.
    ///   - limit: The maximum number of entries.
    func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry]

    // MARK: Facts and events

    /// Returns events in the order in which they were written; see ``entries(after:of:limit:)``.
    func events(after place: FeedPlace, of customer: CustomerID?, limit: Int) async throws(VaultError) -> [StoreEvent]

    // MARK: Erasure and proof

    /// Removes all data of a customer and stores a proof of the erasure.
    ///
    /// Keyed hashes of the credited transactions and of the used request keys stay in the vault. The hashes do not
    /// reveal who the customer was. A transaction with such a hash is not credited again, and a request with such a key
    /// is refused with ``LedgerRefusal/keyReused``.
    ///
    /// A purchase that was moved from or to another customer is recorded in the other account as well. This record keeps
    /// the id of the erased customer until the other customer is erased.
    ///
    /// - Parameters:
    ///   - customer: The customer to erase.
    ///   - reason: The reason. It stays in the vault, so it should not name a person.
    ///   - instant: The time, in UTC.
    /// - Throws: ``VaultError`` with `unknownCustomer` if the vault has no data of the customer. In this case, nothing
    ///   is written.
    func erase(_ customer: CustomerID, reason: String, at instant: Instant) async throws(VaultError) -> Erasure

    /// Returns the proofs of all erasures of a customer, found by the customer's id.
    func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure]

    /// Checks that the stored rows are the rows that the vault wrote.
    ///
    /// - Parameter head: The ``IntegrityReport/head`` of an earlier report, which must still be in the vault's hash
    ///   chain; `nil` skips this check. If the vault has since been truncated or replaced, the report has a fault of
    ///   the kind ``VaultFault/Kind/link``. A vault without a hash chain always reports this fault for a head, because
    ///   it cannot check the head.
    func checkIntegrity(containing head: String?) async throws(VaultError) -> IntegrityReport
}

extension Vault {
    /// Checks that the stored rows are the rows that the vault wrote, without the head of an earlier report.
    public func checkIntegrity() async throws(VaultError) -> IntegrityReport {
        try await checkIntegrity(containing: nil)
    }
}

/// A vault as a store uses it.
public struct VaultImplementation: Sendable {
    package let vault: any TransactionalVault

    init(_ vault: any TransactionalVault) { self.vault = vault }
}

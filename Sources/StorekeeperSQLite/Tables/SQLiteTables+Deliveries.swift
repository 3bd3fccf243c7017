package import Storekeeper
import StorekeeperDurable

extension SQLiteTables {
    private static let addDelivery = Statement(
        """
        INSERT INTO finish(transaction_id, environment, bundle, customer, sequence, state) VALUES(?, ?, ?, ?, ?, ?)
        ON CONFLICT(transaction_id, environment, bundle) DO NOTHING
        """)
    private static let openOfCustomer = Statement(
        """
        SELECT transaction_id, environment, bundle, name, state FROM finish JOIN customer ON customer.id = customer
        WHERE state < 2 AND finish.customer = ? ORDER BY finish.sequence
        """)
    private static let isOwed =
        "EXISTS (SELECT 1 FROM finish WHERE finish.customer = customer.id AND state < 2)"
    private static let firstOwed = Statement("SELECT name FROM customer WHERE \(isOwed) ORDER BY name LIMIT ?")
    private static let pageOfOwed = Statement(
        "SELECT name FROM customer WHERE name > ? AND \(isOwed) ORDER BY name LIMIT ?")
    private static let settleDelivery = Statement(
        "UPDATE finish SET state = ? WHERE transaction_id = ? AND environment = ? AND bundle = ?")

    /// Inserts a delivery for a transaction, unless the transaction already has a finished or unfinished delivery.
    package mutating func addOutstandingDelivery(_ item: OutboxItem) throws(VaultError) -> Bool {
        let owner = try numberToWrite(of: item.customer)
        let sequence = try connection.nextSequence()
        return try connection.run(Self.addDelivery) {
            $0.text(item.key.transactionID.rawValue)
            $0.text(item.key.environment.rawValue)
            $0.text(item.key.bundleID)
            $0.int(owner)
            $0.int(sequence)
            $0.int(OutboxItem.code(item.state))
        } > 0
    }

    /// Returns the customers with outstanding deliveries or finishes, sorted by id.
    package func customersOwed(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        try connection.all(previous == nil ? Self.firstOwed : Self.pageOfOwed) {
            if let previous { $0.text(previous.rawValue) }
            $0.int(limit)
        } _: {
            CustomerID(rawValue: $0.text())
        }
    }

    /// Returns the outstanding deliveries and finishes of a customer.
    package func unfinished(of customer: CustomerID) throws(VaultError) -> [OutboxItem] {
        guard let number = try number(of: customer) else { return [] }
        return try connection.all(Self.openOfCustomer) {
            $0.int(number)
        } _: {
            OutboxItem(&$0)
        }
    }

    /// Stores the state of a delivery; `nil` marks the delivery as finished without deleting its row.
    package mutating func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) throws(VaultError) {
        try connection.run(Self.settleDelivery) {
            $0.int(OutboxItem.code(state))
            $0.text(key.transactionID.rawValue)
            $0.text(key.environment.rawValue)
            $0.text(key.bundleID)
        }
    }
}

extension OutboxItem {
    fileprivate init(_ row: inout RowReader) {
        let (transaction, environment, bundle) = (row.text(), row.text(), row.text())
        let customer = CustomerID(rawValue: row.text())
        self.init(
            key: TransactionKey(
                bundleID: bundle, environment: AppStore.Environment(rawValue: environment),
                transactionID: Transaction.ID(rawValue: transaction)),
            customer: customer, state: row.int() == 0 ? .owed : .delivered)
    }
}

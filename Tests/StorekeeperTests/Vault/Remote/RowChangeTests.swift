import Testing

@testable import Storekeeper

/// Tests of the changes of a step in the form in which a remote storage writes them: grouped by kind, with each row
/// once.
struct RowChangeTests {
    private func text(_ runs: [[RowChange]]) -> [String] {
        runs.map { run in
            run.map { change in
                switch change {
                case .customer(let row): "customer \(row.id) \(row.version)"
                case .balance(let balance, let customer): "\(balance.id) of \(customer) \(balance.credited)"
                case .cursor(let cursor, let backend): "\(backend) at \(cursor.rawValue)"
                case .removedEvents(let customer): "no events of \(customer)"
                case .removedBalances(let customer): "no balances of \(customer)"
                default: "\(change)"
                }
            }.joined(separator: ", ")
        }
    }

    @Test("Changes of one kind are grouped, and the last change of a row counts")
    func grouping() {
        let changes: [RowChange] = [
            .customer(CustomerRow(id: "anna")), .balance(Balance(id: "coins", credited: 1), of: "anna"),
            .cursor(UpdateCursor(rawValue: "1"), of: "a"), .customer(CustomerRow(id: "ben")),
            .balance(Balance(id: "coins", credited: 5), of: "ben"),
            .balance(Balance(id: "coins", credited: 2), of: "anna"), .customer(CustomerRow(id: "anna", version: 7)),
        ]
        #expect(
            text(RowChange.runs(of: changes)) == [
                "customer anna 7, customer ben 0", "coins of anna 2, coins of ben 5", "a at 1",
            ])
    }

    @Test("A removal stays between the changes before and after it")
    func removals() {
        let changes: [RowChange] = [
            .balance(Balance(id: "coins", credited: 1), of: "anna"), .customer(CustomerRow(id: "anna")),
            .removedEvents(of: "anna"), .removedEvents(of: "ben"), .removedBalances(of: "anna"),
            .balance(Balance(id: "coins", credited: 2), of: "anna"), .customer(CustomerRow(id: "anna", version: 1)),
        ]
        #expect(
            text(RowChange.runs(of: changes)) == [
                "customer anna 0", "coins of anna 1", "no events of anna, no events of ben", "no balances of anna",
                "customer anna 1", "coins of anna 2",
            ])
    }

    @Test("No changes make no statements") func nothing() { #expect(RowChange.runs(of: []).isEmpty) }
}

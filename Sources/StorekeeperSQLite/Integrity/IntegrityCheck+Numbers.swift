import Storekeeper

extension IntegrityCheck {
    private static let entryNumbers = Statement(
        "SELECT customer, sequence, number FROM ledger WHERE customer IS NOT NULL ORDER BY customer, sequence")

    /// Checks that the entries of each account are numbered from 1 without gaps, in the order of their sequence.
    mutating func checkEntryNumbers() throws(VaultError) {
        var (account, last): (Int64?, Int64) = (nil, 0)
        try connection.forEach(Self.entryNumbers, { _ in }) { row in
            let (customer, sequence, number) = (row.int(), row.int(), row.optionalInt())
            if customer != account { (account, last) = (customer, 0) }
            last += 1
            if number == last { return }
            addFault(
                .link, "entry \(sequence)",
                "has \(number.map { "the number \($0)" } ?? "no number") and should have \(last): a number was changed, "
                    + "or an entry removed or inserted")
        }
    }
}

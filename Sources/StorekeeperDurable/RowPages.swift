package import Storekeeper

extension TableShape {
    /// Returns the queries for pages in the table's order, by the set of the fixed columns: 1 for the first column, 2 for
    /// the second.
    ///
    /// The parameters are the fixed columns of the set, the sorted columns and the limit.
    ///
    /// - Parameters:
    ///   - query: The query for all rows, without a condition.
    ///   - table: The name of the table in the query.
    ///   - owner: The name of the owner in the query.
    ///   - parameter: The sign before the number of a parameter.
    package func pages(of query: String, in table: String, owner: String, parameter: String) -> [String] {
        guard let order else { return [] }
        func name(_ column: Int) -> String { "\(table).\(columns[column].name)" }
        let sorted = order.columns.map { columns[$0].type == .owner ? owner : name($0) }
        let (sign, direction) = order.isDescending ? ("<", " DESC") : (">", "")
        return order.fixed.map { fixed in
            let first = fixed.count + 1
            let after = sorted.indices.map { "\(parameter)\(first + $0)" }.joined(separator: ", ")
            let isFixed = zip(1..., fixed).map { "\(name($1)) = \(parameter)\($0)" }
            // The first comparison lets a database begin in the middle of the index.
            let isNext = [
                "\(sorted[0]) \(sign)= \(parameter)\(first)", "(\(sorted.joined(separator: ", "))) \(sign) (\(after))",
            ]
            return """
                \(query) WHERE \((isFixed + isNext).joined(separator: " AND "))
                ORDER BY \(sorted.map { $0 + direction }.joined(separator: ", "))
                LIMIT \(parameter)\(first + sorted.count)
                """
        }
    }
}

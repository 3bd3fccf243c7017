import Storekeeper

/// Recognizes a response of the App Store Server API whose list is empty.
///
/// Such a response proves that the customer has bought nothing. A file without any item, for example from an
/// interrupted download, proves nothing.
enum EmptyAnswer {
    private static let lists = ["signedTransactions", "data", "notificationHistory", "lastTransactions"]

    /// Returns whether a file begins with a complete response whose list is empty.
    ///
    /// - Parameter start: The first bytes of the file; such a response is short.
    static func isAnswer(beginning start: [UInt8]) -> Bool {
        guard let (document, _) = try? JSONReader().readPrefix(start), let object = document.root.object,
            object["hasMore"]?.bool != true
        else { return false }
        let values = lists.compactMap { object[$0] }
        return values.isEmpty ? object["hasMore"]?.bool == false : values.allSatisfy(isEmpty)
    }

    /// Returns whether a list contains nothing, or only subscription groups without transactions.
    private static func isEmpty(_ list: JSONValue) -> Bool {
        list.array?.allSatisfy { $0.object?["lastTransactions"].map(isEmpty) ?? false } ?? false
    }
}

import ArgumentParser

/// The number of units in a request.
enum Quantity {
    static let rule = "a quantity is a whole number of at least 1"

    /// Reads an argument.
    static func read(_ text: String) throws -> Int64 {
        guard let quantity = Int64(text), quantity >= 1 else { throw ValidationError(rule) }
        return quantity
    }
}

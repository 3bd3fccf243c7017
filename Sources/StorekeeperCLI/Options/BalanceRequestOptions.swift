import ArgumentParser
import Storekeeper

/// The options of a request that changes a balance.
struct BalanceRequestOptions: ParsableArguments {
    static let quantityRule = "a quantity is a whole number from 1 to \(Int64.max)"

    /// Parses a quantity, which must be a positive whole number.
    @Sendable static func quantity(_ text: String) throws -> Int64 {
        guard let quantity = Int64(text), quantity >= 1 else { throw ValidationError(quantityRule) }
        return quantity
    }

    @Argument(help: ArgumentHelp("The name of the balance.", valueName: "balance"))
    var balance: String

    @Argument(
        help: ArgumentHelp("The number of units: a whole number of at least 1.", valueName: "quantity"),
        transform: quantity)
    var quantity: Int64

    @Option(name: .long, help: ArgumentHelp("A unique key for this request.", valueName: "key"))
    var key: String
}

import FoundationEssentials
import Storekeeper

/// Prices as the App Store writes them: thousandths of the currency's main unit.
enum Milliunits {
    /// Returns a price in milliunits, rounded down; `nil` if the price is negative or too large.
    static func of(_ price: Decimal) -> Int64? {
        let digits = "\(price * 1000)".prefix { $0 != "." }
        guard let value = Int64(digits), (0...Int64.max / 1_000_000).contains(value) else { return nil }
        return value
    }

    /// Returns a price in the currency's main unit.
    static func decimal(_ milliunits: Int64?) -> Decimal? { milliunits.map(Decimal.init(thousandths:)) }

    /// Returns a price as text, such as `9.99`.
    static func text(_ milliunits: Int64) -> String {
        let rest = String(abs(milliunits % 1000))
        var digits = String(repeating: "0", count: 3 - rest.count) + rest
        if digits.hasSuffix("0") { digits.removeLast() }
        return "\(milliunits / 1000).\(digits)"
    }
}

import Storekeeper

/// A country's App Store.
struct Storefront: Sendable, Hashable {
    /// Three letters, ISO 3166-1 alpha-3.
    let country: String
    /// The App Store's number of it; `nil` where it is not known here.
    let id: String?
    /// ISO 4217.
    let currency: String

    init(country: String) {
        self.country = country
        id = Self.numbers[country]
        currency = StorefrontCurrency.code(forCountry: country) ?? "USD"
    }

    /// Whether a text can be a storefront: three letters.
    static func isCountry(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (65...90).contains($0 & 0xDF) }
    }

    // Numbers in a row from 143441, as signed transactions show them, and a few that stand apart.
    private static let numbers: [String: String] = {
        let inARow = """
            USA FRA DEU GBR AUT BEL FIN GRC IRL ITA LUX NLD PRT ESP CAN SWE NOR DNK CHE AUS NZL JPN HKG SGP CHN KOR IND \
            MEX RUS TWN VNM ZAF MYS PHL THA IDN PAK POL SAU TUR ARE HUN CHL
            """
        var numbers = ["BRA": "143503"]
        for (offset, country) in inARow.split(separator: " ").enumerated() {
            numbers[String(country)] = String(143_441 + offset)
        }
        return numbers
    }()
}

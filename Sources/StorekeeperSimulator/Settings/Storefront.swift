import Storekeeper

/// A country's App Store.
package struct Storefront: Sendable, Hashable {
    /// The country as three letters, ISO 3166-1 alpha-3.
    let country: String
    /// The App Store's id of the storefront; `nil` if this version of the simulator does not contain the id.
    let id: String?
    /// The currency as an ISO 4217 code.
    let currency: String

    init(country: String) {
        self.country = country
        id = Self.numbers[country]
        currency = StorefrontCurrency.code(forCountry: country) ?? "USD"
    }

    /// Returns whether a text has the form of a storefront: three letters.
    package static func isCountry(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (65...90).contains($0 & 0xDF) }
    }

    /// Returns whether the App Store has a storefront of a country.
    ///
    /// - Parameter country: Three letters, ISO 3166-1 alpha-3, in upper case.
    package static func isKnown(_ country: String) -> Bool {
        isCountry(country) && country == country.uppercased() && StorefrontCurrency.code(forCountry: country) != nil
    }

    /// Whether the storefront offers billing plans with twelve monthly payments for a year.
    ///
    /// - SeeAlso: Apple, "App Store Connect: Monthly subscriptions with a 12-month commitment".
    var hasMonthlyPlans: Bool { country != "USA" && country != "SGP" }

    /// The storefronts' ids, which run from 143441 without a gap, in the order in which the storefronts opened.
    ///
    /// - SeeAlso: Apple, "StoreKit: Storefront.id", as signed transactions and MusicKit JS show them.
    private static let numbers: [String: String] = {
        let inARow = """
            USA FRA DEU GBR AUT BEL FIN GRC IRL ITA LUX NLD PRT ESP CAN SWE NOR DNK CHE AUS NZL JPN HKG SGP CHN KOR \
            IND MEX RUS TWN VNM ZAF MYS PHL THA IDN PAK POL SAU TUR ARE HUN CHL NPL PAN LKA ROU MDV CZE BGD ISR UKR \
            KWT HRV CRI SVK LBN QAT SVN SRB COL VEN BRA GTM ARG SLV PER DOM ECU HND JAM NIC PRY URY MAC EGY KAZ EST \
            LVA LTU MLT LIE MDA ARM BWA BGR CIV JOR KEN MKD MDG MLI MUS NER SEN TUN UGA AIA BHS ATG BRB BMU VGB CYM \
            DMA GRD MSR KNA LCA VCT TTO TCA GUY SUR BLZ BOL CYP ISL BHR BRN NGA OMN DZA AGO BLR UZB LBY AZE ETH MMR \
            YEM TZA GHA CMR ALB BEN BTN BFA KHM CPV TCD COG FJI GMB GNB KGZ LAO LBR MWI MRT FSM MNG MOZ NAM PLW PSE \
            PNG STP SYC SLE SLB SWZ TJK TKM ZWE NRU WSM TON VUT AFG AND BIH COD GAB GEO GIN IRQ MCO MNE MAR RWA ZMB \
            CAF XKS
            """
        var numbers: [String: String] = [:]
        for (offset, country) in inARow.split(separator: " ").enumerated() {
            numbers[String(country)] = String(143_441 + offset)
        }
        // ISO assigns no code to Kosovo. App Store Connect uses XKS, and other programs use XKX.
        numbers["XKX"] = numbers["XKS"]
        return numbers
    }()
}

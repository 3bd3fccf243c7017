/// The currency in which the App Store sells in each country or region.
///
/// If the App Store does not sell in the local currency, it sells in US dollars or euros.
///
/// - SeeAlso: Apple, "App Store Connect Help: Financial report regions and currencies"; ISO 3166-1, ISO 4217.
package enum StorefrontCurrency {
    /// Returns the currency of a storefront.
    ///
    /// - Parameter country: An alpha-3 code of ISO 3166-1, in any case.
    /// - Returns: The currency's code by ISO 4217; `nil` for a country without a storefront.
    package static func code(forCountry country: String) -> String? { codes[country.uppercased()] }

    /// Returns a country with a storefront that sells in a currency; of several countries, the country with the most
    /// customers.
    ///
    /// - Parameter currency: A code of ISO 4217, in upper case.
    /// - Returns: An alpha-3 code of ISO 3166-1; `nil` if no storefront sells in that currency.
    static func country(forCurrency currency: String) -> String? {
        switch currency {
        case "EUR": "DEU"
        case "USD": "USA"
        default: countriesByCurrency.first { $0.currency == currency }?.countries
        }
    }

    /// The number of storefronts.
    static var count: Int { codes.count }

    private static let codes: [String: String] = {
        var codes: [String: String] = [:]
        for (currency, countries) in countriesByCurrency {
            for country in countries.split(separator: " ") { codes[String(country)] = currency }
        }
        return codes
    }()

    private static let countriesByCurrency: [(currency: String, countries: String)] = [
        ("AED", "ARE"), ("AUD", "AUS"), ("BRL", "BRA"), ("CAD", "CAN"), ("CHF", "CHE"), ("CLP", "CHL"),
        ("CNY", "CHN"), ("COP", "COL"), ("CZK", "CZE"), ("DKK", "DNK"), ("EGP", "EGY"), ("GBP", "GBR"),
        ("HKD", "HKG"), ("HUF", "HUN"), ("IDR", "IDN"), ("ILS", "ISR"), ("INR", "IND"), ("JPY", "JPN"),
        ("KRW", "KOR"), ("KZT", "KAZ"), ("MXN", "MEX"), ("MYR", "MYS"), ("NGN", "NGA"), ("NOK", "NOR"),
        ("NZD", "NZL"), ("PEN", "PER"), ("PHP", "PHL"), ("PKR", "PAK"), ("PLN", "POL"), ("QAR", "QAT"),
        ("RON", "ROU"), ("RUB", "RUS"), ("SAR", "SAU"), ("SEK", "SWE"), ("SGD", "SGP"), ("THB", "THA"),
        ("TRY", "TUR"), ("TWD", "TWN"), ("TZS", "TZA"), ("VND", "VNM"), ("ZAR", "ZAF"),
        (
            "EUR",
            """
            AUT BEL BGR BIH CYP DEU ESP EST FIN FRA GRC HRV IRL ITA LTU LUX LVA MLT MNE NLD PRT SRB SVK SVN XKS
            """
        ),
        (
            "USD",
            """
            AFG AGO AIA ALB ARG ARM ATG AZE BEN BFA BHR BHS BLR BLZ BMU BOL BRB BRN BTN BWA CIV CMR COD COG CPV \
            CRI CYM DMA DOM DZA ECU FJI FSM GAB GEO GHA GMB GNB GRD GTM GUY HND IRQ ISL JAM JOR KEN KGZ KHM KNA \
            KWT LAO LBN LBR LBY LCA LKA MAC MAR MDA MDG MDV MKD MLI MMR MNG MOZ MRT MSR MUS MWI NAM NER NIC NPL \
            NRU OMN PAN PLW PNG PRY RWA SEN SLB SLE SLV STP SUR SWZ SYC TCA TCD TJK TKM TON TTO TUN UGA UKR URY \
            USA UZB VCT VEN VGB VUT YEM ZMB ZWE
            """
        ),
    ]
}

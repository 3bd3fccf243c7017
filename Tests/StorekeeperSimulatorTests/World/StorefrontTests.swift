import Storekeeper
import Testing

@testable import StorekeeperSimulator

struct StorefrontTests {
    @Test(
        "A storefront has the App Store's number",
        arguments: [
            ("USA", "143441"), ("FRA", "143442"), ("DEU", "143443"), ("JPN", "143462"), ("CHL", "143483"),
            ("CZE", "143489"), ("BRA", "143503"), ("EGY", "143516"), ("DZA", "143563"), ("VUT", "143609"),
            ("AFG", "143610"), ("ZMB", "143622"), ("XKS", "143624"),
        ])
    func number(country: String, number: String) {
        #expect(Storefront(country: country).id == number)
    }

    @Test("Every storefront with a currency has its own number")
    func all() {
        let letters = (65...90).map { Character(UnicodeScalar(UInt8($0))) }
        var numbers: Set<String> = []
        var count = 0
        for first in letters {
            for second in letters {
                for third in letters {
                    let country = String([first, second, third])
                    guard StorefrontCurrency.code(forCountry: country) != nil else { continue }
                    count += 1
                    numbers.formUnion(Storefront(country: country).id.map { [$0] } ?? [])
                }
            }
        }
        #expect(count == 175)
        #expect(numbers.count == count)
        #expect(Storefront(country: "XYZ").id == nil)
    }
}

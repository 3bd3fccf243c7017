import Foundation
import Testing

@testable import StorekeeperEngine

/// Tests that compare texts of prices and periods with the texts of ICU.
struct LocaleFormatTests {
    /// The samples of one kind that `Scripts/locale-formats.py` has written: the subjects, and the texts of each locale
    /// for the subjects.
    private struct Samples {
        let subjects: [Substring]
        let texts: [(locale: String, texts: [Substring])]

        init(_ kind: String) throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "samples.tsv")
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
                $0.split(separator: "\t", omittingEmptySubsequences: false)
            }.filter { $0.count > 2 && $0[1] == kind }
            subjects = Array(lines.first { $0[0].isEmpty }?.dropFirst(2) ?? [])
            texts = lines.filter { !$0[0].isEmpty }.map { (String($0[0]), Array($0.dropFirst(2))) }
        }
    }

    @Test("A price reads as ICU writes it, in each locale and each currency of a storefront")
    func prices() throws {
        let samples = try Samples("prices")
        #expect(samples.texts.count > 75 && samples.subjects.count > 45)
        for (locale, texts) in samples.texts {
            let format = LocaleFormat(LocaleID(locale))
            try #require(texts.count == samples.subjects.count)
            for (subject, text) in zip(samples.subjects, texts) {
                let parts = subject.split(separator: " ")
                let amount = try #require(Decimal(string: String(parts[1])))
                let own = format.price(amount, currency: String(parts[0]))
                #expect(own == text, "\(locale), \(subject)")
            }
        }
    }

    @Test("A period reads as ICU writes it, in each locale and each category of plural")
    func periods() throws {
        let samples = try Samples("periods")
        for (locale, texts) in samples.texts {
            try #require(texts.count == samples.subjects.count)
            for (subject, text) in zip(samples.subjects, texts) {
                let own = SubscriptionPeriod(String(subject)).displayText(in: LocaleID(locale))
                #expect(own == text, "\(locale), \(subject)")
            }
        }
    }

    @Test(
        "A locale that the table lacks has the formats of the nearest one that it has",
        arguments: [
            ("de_LI", "9,99\u{A0}€"), ("de-DE", "9,99\u{A0}€"), ("en_US_POSIX", "€9.99"), ("en-FJ", "€9.99"),
            ("es_UY", "EUR9.99"), ("pt_AO", "9,99\u{A0}€"), ("zh_TW", "€9.99"), ("no", "€\u{A0}9,99"),
            ("xx", "€\u{A0}9.99"), ("", "€\u{A0}9.99"), ("de.UTF-8", "9,99\u{A0}€"),
        ] as [(LocaleID, String)])
    func nearest(locale: LocaleID, text: String) {
        let own = LocaleFormat(locale).price(Decimal(sign: .plus, exponent: -2, significand: 999), currency: "eur")
        #expect(own.replacing("EUR\u{A0}", with: "EUR") == text)
    }

    @Test(
        "Prices are rounded to the decimals of their currency, halves to the even digit",
        arguments: [
            ("0.005", "$0.00"), ("0.015", "$0.02"), ("9.995", "$10.00"), ("999.995", "$1,000.00"), ("0", "$0.00"),
            ("0.0051", "$0.01"), ("1000000", "$1,000,000.00"), ("-1.5", "-$1.50"),
        ])
    func rounding(amount: String, text: String) throws {
        let amount = try #require(Decimal(string: amount))
        let own = LocaleFormat("en_US").price(amount, currency: "USD")
        #expect(own == text)
    }

    @Test func `A price without a currency is a number, and no amount traps`() {
        #expect(LocaleFormat("de").price(1234.5, currency: nil) == "1.234,5")
        for amount in [Decimal.nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -1] {
            for currency in [nil, "USD", "JPY", "", "x"] {
                #expect(!LocaleFormat("hi").price(amount, currency: currency).isEmpty)
            }
        }
        #expect(LocaleFormat("de").length(3, "H") == nil)
        #expect(SubscriptionPeriod("P1Y2M").displayText(in: "de") == "P1Y2M")
    }
}

/// Tests of locale ids.
struct LocaleIDTests {
    @Test(
        "Ids are equal if they name the same language, script and region",
        arguments: [
            ("de-CH", "de_ch", true), ("zh-hant-tw", "zh_Hant_TW", true), ("iw", "he", true), ("no_NO", "nb-NO", true),
            ("de", "de_DE", false), ("es-419", "es_419", true), ("en_US.UTF-8", "en_US", true), ("pt", "pt_PT", false),
        ] as [(LocaleID, LocaleID, Bool)])
    func equality(left: LocaleID, right: LocaleID, isEqual: Bool) {
        #expect((left == right) == isEqual)
        #expect((left.hashValue == right.hashValue) == isEqual)
    }

    @Test(
        "The closest locale is the same, then a more or less precise one, then one of the script, then of the language",
        arguments: [
            ("de_CH", ["en", "de", "de_CH"], 2), ("de", ["en", "de_AT", "de_CH"], 1), ("de_CH", ["de_AT", "de"], 1),
            ("de_CH", ["fr", "de_AT"], 1), ("zh_TW", ["zh_Hans", "zh_Hant"], 1), ("zh", ["zh_Hant", "zh_Hans"], 1),
            ("ja", ["en", "de"], nil), ("", ["en"], nil),
        ] as [(LocaleID, [LocaleID], Int?)])
    func closest(wanted: LocaleID, known: [LocaleID], place: Int?) {
        #expect(wanted.closest(among: known) == place)
    }

    @Test(
        "A language that a person gives is checked",
        arguments: [
            ("de", true), ("de_CH", true), ("zh-Hant-HK", true), ("fil", true), ("", false), ("d", false),
            ("deutsch", false), ("12", false), ("d€", false), (String(repeating: "a-", count: 30), false),
        ])
    func checked(text: String, isValid: Bool) {
        #expect((LocaleID(checking: text) != nil) == isValid)
    }
}

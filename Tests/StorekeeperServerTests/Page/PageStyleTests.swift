import Foundation
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the readability of the page's colours.
@Suite struct PageStyleTests {
    /// Returns the colours of the light or the dark scheme by name.
    ///
    /// In the dark scheme, dark colours override light colours of the same name.
    private static func colours(dark: Bool) -> [String: [Double]] {
        let parts = PagePalette.text.split(separator: "@media")
        var found: [String: [Double]] = [:]
        for part in dark ? parts[...] : parts.prefix(1) {
            for match in part.matches(of: #/--([a-z-]+): #([0-9a-f]{6});/#) {
                let number = Int(match.2, radix: 16) ?? 0
                found[String(match.1)] = [16, 8, 0].map { Double(number >> $0 & 255) / 255 }
            }
        }
        return found
    }

    /// - SeeAlso: WCAG 2.2, "relative luminance" and "contrast ratio".
    private static func contrast(_ one: [Double], _ other: [Double]) -> Double {
        func luminance(_ colour: [Double]) -> Double {
            let parts = colour.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        let lights = [luminance(one), luminance(other)].sorted()
        return (lights[1] + 0.05) / (lights[0] + 0.05)
    }

    private static let grounds = ["page", "panel", "sunken", "selected"]
    private static let pairs: [(String, [String], Double)] =
        [
            ("ink", grounds + ["good-ground", "bad-ground", "over-ground"], 4.5),
            ("soft", grounds + ["bad-ground", "good-ground"], 4.5),
            ("link", grounds, 4.5), ("on-primary", ["primary"], 4.5), ("bad", grounds, 4.5),
            ("border", ["page", "panel", "sunken"], 3),
            ("focus", grounds, 3), ("primary", ["page", "panel", "sunken"], 3),
        ] + ["good", "warn", "bad", "waiting", "over"].map { ($0, ["\($0)-ground"], 4.5) }

    @Test("Text and controls have the contrast of WCAG AA", arguments: [false, true])
    func contrasts(dark: Bool) throws {
        let colours = Self.colours(dark: dark)
        for (name, grounds, least) in Self.pairs {
            for ground in grounds {
                let ratio = Self.contrast(try #require(colours[name]), try #require(colours[ground]))
                #expect(ratio >= least, "\(name) on \(ground): \(ratio)")
            }
        }
    }

    @Test("Each colour is one of the palette, in both schemes")
    func palette() {
        let names = Set(Self.colours(dark: false).keys)
        let dark = PagePalette.text.split(separator: "@media").last ?? ""
        #expect(Set(dark.matches(of: #/--([a-z-]+):/#).map { String($0.1) }) == names)
        let used = Set(PageStyle.text.matches(of: #/var\(--([a-z0-9-]+)\)/#).map { String($0.1) })
        let sizes = Set(PageScale.text.matches(of: #/--([a-z0-9-]+):/#).map { String($0.1) })
        #expect(used == names.union(sizes))
        let rest = PageStyle.text.replacing(PagePalette.text, with: "")
        #expect(!rest.contains(#/#[0-9a-fA-F]{3,8}\b(?![^{]*\{)/#))
    }

    @Test("The classes of the style sheet are exactly those of the templates and the script")
    func classes() {
        let markup = PageTemplates.transactionManager.texts.values.joined() + DeskTemplate.text + PageScript.text
        let styled = Set(PageStyle.text.matches(of: #/\.([a-z][A-Za-z-]*)(?![^{}]*;)/#).map { String($0.1) })
        // The names of states and of parts of pictures are also used as CSS classes.
        let words = [
            "purchased", "subscribed", "entitled", "grace", "inGracePeriod", "retry", "inBillingRetryPeriod",
            "refunded", "revoked", "failed", "declined", "lapsed", "pending", "interrupted", "unknown", "column-person",
            "column-product", "column-id", "column-expires", "column-purchased", "access", "trial",
            "expected", "several", "event", "marker", "tick", "narrow", "medium", "wide", "sample", "ink", "grid",
            // The classes of remarks.
            "waiting", "warn",
        ]
        for name in styled.subtracting(words) { #expect(markup.contains(name), "\(name)") }
    }
}

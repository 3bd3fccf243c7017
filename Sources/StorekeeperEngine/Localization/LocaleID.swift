/// A language, with or without a script and a region, such as `de`, `de_CH` or `zh-Hant-TW`.
///
/// Two ids are equal if they name the same language, script and region, so that `de-CH` equals `de_ch`.
public struct LocaleID: Hashable, Sendable {
    /// The text as it was written.
    public let identifier: String
    /// The language, such as `de`; empty if the text contains no language.
    package let language: String
    /// The script, such as `Hant`; `nil` if the text contains no script.
    package let script: String?
    /// The region, such as `CH` or `419`; `nil` if the text contains no region.
    package let region: String?

    /// Creates an id from a text with hyphens or underscores, in upper or lower case; variants and `.UTF-8` are
    /// ignored.
    public init(_ identifier: String) {
        self.identifier = identifier
        let parts = identifier.utf8.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }
            .split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }.map { String(Substring($0)) }
        let word = parts.first?.lowercased() ?? ""
        language = Self.modernLanguages[word] ?? word
        let others = parts.dropFirst()
        script = others.first { Self.isLetters($0, count: 4) }.map {
            $0.prefix(1).uppercased() + $0.dropFirst().lowercased()
        }
        region = others.first { Self.isLetters($0, count: 2) || Self.isArea($0) }?.uppercased()
    }

    /// Creates an id from an unchecked text; `nil` if the text does not begin with a language or cannot be an id.
    package init?(checking text: String) {
        self.init(text)
        guard (2...3).contains(language.utf8.count), text.utf8.count <= 40,
            text.utf8.allSatisfy({ (33...126).contains($0) }),
            language.utf8.allSatisfy({ (97...122).contains($0) })
        else { return nil }
    }

    private static func isLetters(_ part: String, count: Int) -> Bool {
        part.utf8.count == count && part.utf8.allSatisfy { (97...122).contains($0 | 0x20) }
    }

    private static func isArea(_ part: String) -> Bool {
        part.utf8.count == 3 && part.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// The current language code for each former code, and Bokmål (`nb`) for Norwegian (`no`).
    private static let modernLanguages = ["iw": "he", "in": "id", "no": "nb"]

    /// Returns whether two ids name the same language, script and region.
    public static func == (left: LocaleID, right: LocaleID) -> Bool {
        left.language == right.language && left.script == right.script && left.region == right.region
    }

    /// Hashes the language, script and region.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(language)
        hasher.combine(script)
        hasher.combine(region)
    }

    /// The language, script and region in the form of the Unicode CLDR, such as `zh_Hant_TW`.
    package var key: String { [language, script, region].compactMap(\.self).joined(separator: "_") }

    /// The script; for Chinese without a script, the usual script of the region.
    private var likelyScript: String? {
        guard language == "zh" else { return script }
        return script ?? (["TW", "HK", "MO"].contains(region) ? "Hant" : "Hans")
    }
}

extension LocaleID: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates an id from a literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// The text as it was written.
    public var description: String { identifier }
}

// MARK: - Choosing

extension LocaleID {
    /// Returns the position of the available locale that is closest to this locale.
    ///
    /// An equal locale is the closest. A locale that differs only in an additional or missing region or script is
    /// closer than any other locale of the same language.
    ///
    /// - Parameter known: The available locales; of several equally close locales, the first is chosen.
    /// - Returns: The position; `nil` if no available locale has the same language.
    package func closest(among known: [LocaleID]) -> Int? {
        known.firstIndex(of: self)
            ?? known.firstIndex { $0.likelyScript == likelyScript && ($0.extends(self) || extends($0)) }
            ?? known.firstIndex { $0.extends(self) || extends($0) }
            ?? known.firstIndex { $0.language == language && $0.likelyScript == likelyScript }
            ?? known.firstIndex { $0.language == language }
    }

    /// Returns whether this id consists of another id and an additional script or region.
    private func extends(_ other: LocaleID) -> Bool { key.hasPrefix(other.key + "_") }

    /// The names under which the table of formats may contain the locale, the most precise name first.
    var lookupKeys: [String] {
        let script = likelyScript.flatMap { $0 == "Hans" ? nil : $0 }
        var keys = [key]
        if let region { keys.append([language, script, region].compactMap(\.self).joined(separator: "_")) }
        switch (language, region) {
        case ("en", let region?) where region != "US": keys.append("en_001")
        case ("es", let region?) where region != "ES": keys.append("es_419")
        case ("pt", let region?) where region != "BR": keys.append("pt_PT")
        case ("zh", "MO"): keys.append("zh_Hant_HK")
        default: break
        }
        if let script { keys.append("\(language)_\(script)") }
        keys.append(language)
        return keys
    }
}

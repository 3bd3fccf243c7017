package import FoundationEssentials

/// The formats of prices and lengths of time in one locale.
///
/// FoundationEssentials has no locales, and Foundation on Linux has locales only together with the whole of ICU.
/// Catalogs need only the formats of prices, which are not negative, and of whole days, weeks, months and years.
package struct LocaleFormat: Sendable {
    private var decimalSeparator = "."
    private var groupSeparator = ","
    private var zero: Unicode.Scalar = "0"
    /// The number of digits in the last group.
    private var lastGroup = 3
    /// The number of digits in each other group.
    private var otherGroups = 3
    /// The minimum number of digits before the first separator.
    private var digitsBeforeGroups = 1
    /// The text before the digits of a price, with `¤` in place of the currency's symbol.
    private var prefix = ""
    /// The text after the digits of a price, with `¤` in place of the currency's symbol.
    private var suffix = ""
    private var symbols: [String: String] = [:]
    /// The texts of lengths of time, by the unit's letter in ISO 8601 and the plural category, with `#` for the number.
    private var lengths: [Character: [String: String]] = [:]
    private var language = ""

    /// Creates the formats of a locale.
    ///
    /// An unknown locale has the formats of its language. An unknown language has the neutral formats of the Unicode
    /// CLDR's root locale.
    package init(_ locale: LocaleID) {
        let key = locale.lookupKeys.first { Self.all[$0] != nil } ?? "root"
        self = Self.all[key] ?? LocaleFormat(parent: nil)
        language = locale.language
    }

    private init(parent: LocaleFormat?) {
        if let parent { self = parent }
    }

    // MARK: Prices

    /// Returns a price as customers read it, such as `9,99 €`.
    ///
    /// - Parameters:
    ///   - amount: The price in units of the currency; it is rounded to the decimals that the currency has.
    ///   - currency: The ISO 4217 code of the currency; if it is `nil`, the result is the number alone.
    package func price(_ amount: Decimal, currency: String?) -> String {
        let code = currency?.uppercased()
        let number = digits(of: amount.magnitude, decimals: code.map(Self.decimals(of:)))
        let sign = amount.isSignMinus && !amount.isNaN ? "-" : ""
        guard let code else { return sign + number }
        let symbol = symbols[code] ?? code
        return sign + placing(symbol, at: prefix, isBefore: true) + number
            + placing(symbol, at: suffix, isBefore: false)
    }

    /// Returns the text before or after the digits, with the currency's symbol in place of `¤`.
    ///
    /// If the symbol's character next to the digits is a letter, as in `CHF`, a blank separates the symbol from the
    /// digits.
    private func placing(_ symbol: String, at text: String, isBefore: Bool) -> String {
        guard let mark = text.firstIndex(of: "¤") else { return text }
        let touches = isBefore ? text.index(after: mark) == text.endIndex : mark == text.startIndex
        let neighbour = isBefore ? symbol.unicodeScalars.last : symbol.unicodeScalars.first
        let needsBlank = touches && neighbour.map { !$0.standsBesideDigits } ?? false
        let blank = needsBlank ? "\u{A0}" : ""
        return text[..<mark] + (isBefore ? symbol + blank : blank + symbol) + text[text.index(after: mark)...]
    }

    /// Returns the text of an amount with the locale's digits and separators; the amount must not be negative.
    private func digits(of amount: Decimal, decimals: Int?) -> String {
        let parts = amount.description.split(separator: ".", omittingEmptySubsequences: false)
        var whole = parts.first.map { Array($0.utf8) } ?? []
        var fraction = parts.count > 1 ? Array(parts[1].utf8) : []
        guard (whole + fraction).allSatisfy({ (48...57).contains($0) }) else { return amount.description }
        if let decimals { Self.round(&whole, &fraction, to: decimals) }
        var text = ""
        for (place, digit) in whole.enumerated() {
            let rest = whole.count - place
            text.unicodeScalars.append(own(digit))
            if isGroupEnd(before: rest - 1, of: whole.count) { text += groupSeparator }
        }
        guard !fraction.isEmpty else { return text }
        text += decimalSeparator
        for digit in fraction { text.unicodeScalars.append(own(digit)) }
        return text
    }

    private func own(_ digit: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(zero.value + UInt32(digit) - 48) ?? Unicode.Scalar(digit)
    }

    /// Returns whether a separator precedes the last `rest` digits of a number with `count` digits before the decimals.
    private func isGroupEnd(before rest: Int, of count: Int) -> Bool {
        guard rest > 0, count >= lastGroup + digitsBeforeGroups, rest >= lastGroup, otherGroups > 0 else {
            return false
        }
        return (rest - lastGroup).isMultiple(of: otherGroups)
    }

    /// Rounds a number to a number of decimals; a half is rounded to the even digit.
    private static func round(_ whole: inout [UInt8], _ fraction: inout [UInt8], to decimals: Int) {
        let removed = fraction.dropFirst(decimals)
        fraction = Array(fraction.prefix(decimals))
        while fraction.count < decimals { fraction.append(48) }
        guard let first = removed.first, first >= 53 else { return }
        let last = fraction.last ?? whole.last ?? 48
        let isHalf = first == 53 && removed.dropFirst().allSatisfy { $0 == 48 }
        guard !isHalf || !last.isMultiple(of: 2) else { return }
        var digits = whole + fraction
        var place = digits.count - 1
        while place >= 0, digits[place] == 57 {
            digits[place] = 48
            place -= 1
        }
        if place >= 0 { digits[place] += 1 } else { digits.insert(49, at: 0) }
        fraction = Array(digits.suffix(decimals))
        whole = Array(digits.dropLast(decimals))
    }

    // MARK: Lengths

    /// Returns a length of time, such as `3 months`; `nil` if the unit is not known.
    ///
    /// - Parameter unit: The letter of the unit in ISO 8601: `D`, `W`, `M` or `Y`.
    package func length(_ count: Int, _ unit: Character) -> String? {
        let texts = lengths[unit]
        guard let text = texts?[PluralCategory.of(count, in: language)] ?? texts?["other"] else { return nil }
        guard let mark = text.firstIndex(of: "#") else { return text }
        var number = ""
        for digit in String(count).utf8 {
            number.unicodeScalars.append((48...57).contains(digit) ? own(digit) : Unicode.Scalar(digit))
        }
        return text[..<mark] + number + text[text.index(after: mark)...]
    }

    // MARK: The table

    private static func decimals(of currency: String) -> Int { otherDecimals[currency] ?? 2 }

    private static let otherDecimals = pairs(decimals[...]).compactMapValues { Int($0) }

    private static let all: [String: LocaleFormat] = {
        var all: [String: LocaleFormat] = [:]
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: "|", omittingEmptySubsequences: false)
            guard fields.count == 12 else { continue }
            var format = LocaleFormat(parent: all[String(fields[1])])
            format.apply(fields)
            all[String(fields[0])] = format
        }
        return all
    }()

    /// Sets the formats from the fields of a line of the table; for an empty field, the format of the parent locale is
    /// used.
    private mutating func apply(_ fields: [Substring]) {
        if !fields[2].isEmpty { decimalSeparator = String(fields[2]) }
        if !fields[3].isEmpty { groupSeparator = String(fields[3]) }
        zero = fields[4].unicodeScalars.first ?? zero
        let sizes = fields[5].split(separator: ",").compactMap { Int($0) }
        if sizes.count == 3 { (lastGroup, otherGroups, digitsBeforeGroups) = (sizes[0], sizes[1], sizes[2]) }
        if let digits = fields[6].firstIndex(of: "0") {
            prefix = String(fields[6][..<digits])
            suffix = String(fields[6][fields[6].index(after: digits)...])
        }
        symbols.merge(Self.pairs(fields[7])) { _, own in own }
        for (unit, field) in zip("DWMY", fields[8...]) where !field.isEmpty { lengths[unit] = Self.pairs(field) }
    }

    private static func pairs(_ field: Substring) -> [String: String] {
        var pairs: [String: String] = [:]
        for pair in field.split(separator: ";") {
            guard let mark = pair.firstIndex(of: "=") else { continue }
            pairs[String(pair[..<mark])] = String(pair[pair.index(after: mark)...])
        }
        return pairs
    }
}

extension Unicode.Scalar {
    /// Whether no blank is needed between the character and a digit, because the character is a symbol such as `$` or
    /// is itself a blank.
    fileprivate var standsBesideDigits: Bool {
        switch properties.generalCategory {
        case .currencySymbol, .mathSymbol, .modifierSymbol, .otherSymbol, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            true
        default: false
        }
    }
}

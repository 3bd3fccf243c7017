import FoundationEssentials

/// Reading of single members, tolerantly: what cannot be read costs itself and a diagnostic, never the file.
extension CatalogDraft {
    /// A product id without the white space around it; `nil`, with a diagnostic, where nothing remains.
    mutating func productID(_ text: String, at path: String) -> Product.ID? {
        let id = Product.ID(XMLText.trimmed(text))
        guard !id.rawValue.isEmpty else {
            report(.skippedEntry, "an entry without a product id was passed over; give it one or remove it", at: path)
            return nil
        }
        // Compared byte for byte: "\r\n" is one character, which equality of texts could miss.
        if id.rawValue.utf8.count != text.utf8.count {
            report(
                .trimmedID, subject: id.rawValue,
                "white space around the product id was removed; the App Store allows none",
                at: path)
        }
        return id
    }

    /// A text; `nil` where there is none, or it is empty.
    mutating func text(_ value: DocumentValue?, subject: String?, at path: String) -> String? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.string else {
            report(.unknownValue, subject: subject, "expected a text; the value was ignored", at: path)
            return nil
        }
        return text.isEmpty ? nil : text
    }

    /// `true` or `false`.
    mutating func bool(_ value: DocumentValue?, subject: String?, at path: String) -> Bool? {
        guard let value, !value.isNull else { return nil }
        guard case .bool(let bool) = value else {
            report(.unknownValue, subject: subject, "expected true or false; the value was ignored", at: path)
            return nil
        }
        return bool
    }

    /// A whole number from 1.
    mutating func count(_ value: DocumentValue?, subject: String?, at path: String) -> Int? {
        guard let value, !value.isNull else { return nil }
        guard let number = value.wholeNumber, (1...1_000_000).contains(number) else {
            report(
                .unknownValue, subject: subject, "expected a whole number from 1; the value was ignored", at: path)
            return nil
        }
        return Int(number)
    }

    /// A whole number of any size.
    mutating func wholeNumber(_ value: DocumentValue?, subject: String?, at path: String) -> Int? {
        guard let value, !value.isNull else { return nil }
        guard let number = value.wholeNumber.flatMap({ Int(exactly: $0) }) else {
            report(.unknownValue, subject: subject, "expected a whole number; the value was ignored", at: path)
            return nil
        }
        return number
    }

    /// The text of what may be written as a number or as text, empty for anything else; `nil` where there is nothing.
    private static func text(_ value: DocumentValue?) -> String? {
        switch value {
        case nil, .null?: nil
        case .number(let number)?: number
        case .string(let string)?: XMLText.trimmed(string)
        default: ""
        }
    }

    /// A price, from a number or its text.
    mutating func price(_ value: DocumentValue?, subject: String?, at path: String) -> Decimal? {
        guard let text = Self.text(value) else { return nil }
        guard let amount = DecimalText(text)?.amount else {
            let what = text.isEmpty ? "the price is empty" : "the price \"\(text.prefix(40))\" is no decimal number"
            report(.badPrice, subject: subject, "\(what); write it like 9.99", at: path)
            return nil
        }
        return amount
    }

    /// A period: ISO 8601 of one unit, or words such as `1 month`.
    mutating func period(_ value: DocumentValue?, subject: String?, at path: String) -> SubscriptionPeriod? {
        guard let text = Self.text(value) else { return nil }
        guard !text.isEmpty else {
            report(.badPeriod, subject: subject, "the period is empty; write it like P1M", at: path)
            return nil
        }
        let period = SubscriptionPeriod(Self.isoPeriod(ofWords: text) ?? text)
        if !period.isValid {
            report(
                .badPeriod, subject: subject,
                "the period \"\(text.prefix(40))\" is no ISO 8601 duration of one unit; write it like P1M", at: path)
        }
        return period
    }

    /// A product's type from any of the words in use.
    mutating func type(_ value: DocumentValue?, subject: String?, at path: String) -> Stated<Product.ProductType>? {
        guard let value, !value.isNull else { return nil }
        if let word = value.string, word.isEmpty { return nil }
        guard let word = value.string, let type = Product.ProductType(word: word) else {
            let what = value.string.map { "the product type \"\($0.prefix(40))\"" } ?? "this product type"
            report(
                .unknownType, subject: subject,
                "\(what) is not known; use consumable, nonConsumable, nonRenewable or autoRenewable", at: path)
            return nil
        }
        return stated(type, at: path)
    }

    /// `P1M` for `1 month`; `nil` where the text is not of that kind.
    static func isoPeriod(ofWords text: String) -> String? {
        let words = text.lowercased().split(whereSeparator: { $0 == " " || $0 == "-" })
        guard words.count == 2, let count = Int(words[0]), count > 0 else { return nil }
        switch words[1] {
        case "day", "days": return "P\(count)D"
        case "week", "weeks": return "P\(count)W"
        case "month", "months": return "P\(count)M"
        case "year", "years": return "P\(count)Y"
        default: return nil
        }
    }
}

extension Product.ProductType {
    /// The type that a word means, whatever its case and punctuation: ours, the App Store's or Xcode's.
    init?(word: String) {
        switch FoldedMembers.folded(word) {
        case "consumable": self = .consumable
        case "nonconsumable": self = .nonConsumable
        case "nonrenewable", "nonrenewing", "nonrenewingsubscription", "nonrenewablesubscription":
            self = .nonRenewable
        case "autorenewable", "autorenewing", "autorenewablesubscription", "autorenewingsubscription",
            "recurringsubscription", "subscription":
            self = .autoRenewable
        default: return nil
        }
    }
}

extension SubscriptionOffer.PaymentMode {
    /// The mode that a word means, whatever its case and punctuation.
    init?(word: String) {
        switch FoldedMembers.folded(word) {
        case "free", "freetrial": self = .freeTrial
        case "payasyougo": self = .payAsYouGo
        case "payupfront": self = .payUpFront
        case "onetime": self = .oneTime
        default: return nil
        }
    }
}

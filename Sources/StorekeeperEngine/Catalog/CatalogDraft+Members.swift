import FoundationEssentials

/// Functions that read single members of a catalog file's dictionaries.
///
/// An unreadable member is ignored with a diagnostic, and the rest of the file is still read.
extension CatalogDraft {
    /// Returns a product id without the white space around it; `nil`, with a diagnostic, if nothing remains.
    mutating func productID(_ text: String, at path: String) -> Product.ID? {
        let id = Product.ID(XMLText.trimmed(text))
        guard !id.rawValue.isEmpty else {
            report(.skippedEntry, "an entry without a product id was skipped; add one or remove it", at: path)
            return nil
        }
        // The numbers of bytes are compared, because Swift treats "\r\n" as a single character.
        if id.rawValue.utf8.count != text.utf8.count {
            report(
                .trimmedID, subject: id.rawValue,
                "white space around the product id was removed; the App Store allows none",
                at: path)
        }
        return id
    }

    /// Returns the text of a string; `nil` if the value is absent or empty.
    mutating func text(_ value: DocumentValue?, subject: String?, at path: @autoclosure () -> String) -> String? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.string else {
            report(.unknownValue, subject: subject, "expected a text; the value was ignored", at: path())
            return nil
        }
        return text.isEmpty ? nil : text
    }

    /// Returns a Boolean value.
    mutating func bool(_ value: DocumentValue?, subject: String?, at path: @autoclosure () -> String) -> Bool? {
        guard let value, !value.isNull else { return nil }
        guard case .bool(let bool) = value else {
            report(.unknownValue, subject: subject, "expected true or false; the value was ignored", at: path())
            return nil
        }
        return bool
    }

    /// Returns a Boolean value, which some formats write as 0 or 1.
    mutating func flag(_ value: DocumentValue?, subject: String?, at path: @autoclosure () -> String) -> Bool? {
        switch value.flatMap({ $0.isNumber ? $0.wholeNumber : nil }) {
        case 0?: false
        case 1?: true
        default: bool(value, subject: subject, at: path())
        }
    }

    /// Returns a whole number from 1 to 1,000,000.
    mutating func count(_ value: DocumentValue?, subject: String?, at path: @autoclosure () -> String) -> Int? {
        guard let value, !value.isNull else { return nil }
        guard let number = value.wholeNumber, (1...1_000_000).contains(number) else {
            report(
                .unknownValue, subject: subject, "expected a whole number from 1; the value was ignored", at: path())
            return nil
        }
        return Int(number)
    }

    /// Returns a whole number that fits in `Int`.
    mutating func wholeNumber(_ value: DocumentValue?, subject: String?, at path: @autoclosure () -> String) -> Int? {
        guard let value, !value.isNull else { return nil }
        guard let number = value.wholeNumber.flatMap({ Int(exactly: $0) }) else {
            report(.unknownValue, subject: subject, "expected a whole number; the value was ignored", at: path())
            return nil
        }
        return number
    }

    /// Returns the text of a number or string; an empty text for any other value, and `nil` for an absent value.
    private static func text(_ value: DocumentValue?) -> String? {
        switch value {
        case nil, .null?: nil
        case .number(let number)?: number
        case .string(let string)?: XMLText.trimmed(string)
        default: ""
        }
    }

    /// Returns a price, which is written as a number or as the text of a number.
    mutating func price(_ value: DocumentValue?, subject: String?, at path: @autoclosure () -> String) -> Decimal? {
        guard let text = Self.text(value) else { return nil }
        guard let amount = DecimalText(text)?.amount else {
            let what = text.isEmpty ? "the price is empty" : "the price \"\(text.prefix(40))\" is not a decimal number"
            report(.badPrice, subject: subject, "\(what); write it like 9.99", at: path())
            return nil
        }
        return amount
    }

    /// Returns a period, which is written as an ISO 8601 duration of one unit, or in words such as `1 month`.
    ///
    /// - Parameter isAccess: Whether the duration may have several parts, such as `P1Y2M3D`.
    mutating func period(
        _ value: DocumentValue?, isAccess: Bool = false, subject: String?, at path: @autoclosure () -> String
    ) -> SubscriptionPeriod? {
        guard let text = Self.text(value) else { return nil }
        guard !text.isEmpty else {
            report(.badPeriod, subject: subject, "the period is empty; write it like P1M", at: path())
            return nil
        }
        let period = SubscriptionPeriod(Self.isoPeriod(ofWords: text) ?? text)
        if !(isAccess ? period.isAccessDuration : period.isValid) {
            let form =
                isAccess
                ? "of years, months, weeks and days; write it like P90D or P1Y2M3D" : "of one unit; write it like P1M"
            report(
                .badPeriod, subject: subject, "the period \"\(text.prefix(40))\" is not an ISO 8601 duration \(form)",
                at: path())
        }
        return period
    }

    /// Returns the product type for a name that this package, the App Store or Xcode uses.
    mutating func type(_ value: DocumentValue?, subject: String?, at path: String) -> SourcedValue<Product.ProductType>?
    {
        guard let value, !value.isNull else { return nil }
        if let word = value.string, word.isEmpty { return nil }
        guard let word = value.string, let type = Product.ProductType(word: word) else {
            let what = value.string.map { "the product type \"\($0.prefix(40))\"" } ?? "this product type"
            report(
                .unknownType, subject: subject,
                "\(what) is not known; use consumable, nonConsumable, nonRenewable or autoRenewable, or "
                    + "subscriptionBundle or subscriptionSuite", at: path)
            return nil
        }
        return stated(type, at: path)
    }

    /// Returns the ids of the subscriptions that a bundle or suite contains, as ids or as dictionaries with ids.
    mutating func members(_ value: DocumentValue?, of id: Product.ID, at path: String) -> [Product.ID] {
        guard let value, !value.isNull else { return [] }
        guard let elements = value.array else {
            report(.skippedEntry, subject: id.rawValue, "expected an array of product ids; it was skipped", at: path)
            return []
        }
        var members: [Product.ID] = []
        var seen: Set<Product.ID> = [id]
        for (index, element) in elements.enumerated() {
            let path = "\(path)[\(index)]"
            let entry = element.dictionary.map { NormalizedMembers($0) }
            guard
                let text = element.string
                    ?? entry?.first(ProductListReader.idKeys, where: { $0.string != nil })?.value.string
            else {
                report(.skippedEntry, subject: id.rawValue, "a member without a product id was skipped", at: path)
                continue
            }
            if let member = productID(text, at: path), seen.insert(member).inserted { members.append(member) }
        }
        return members
    }

    /// Returns the ISO 8601 duration for a period in words, such as `P1M` for `1 month`; `nil` for any other text.
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
    /// Creates a type from a name that this package, the App Store or Xcode uses; case and punctuation do not matter.
    init?(word: String) {
        switch NormalizedMembers.folded(word) {
        case "consumable": self = .consumable
        case "nonconsumable": self = .nonConsumable
        case "nonrenewable", "nonrenewing", "nonrenewingsubscription", "nonrenewablesubscription":
            self = .nonRenewable
        case "autorenewable", "autorenewing", "autorenewablesubscription", "autorenewingsubscription",
            "recurringsubscription", "subscription", "automaticallyrenewablesubscription":
            self = .autoRenewable
        case "subscriptionbundle": self = .subscriptionBundle
        case "subscriptionsuite": self = .subscriptionSuite
        default: return nil
        }
    }
}

extension SubscriptionOffer.PaymentMode {
    /// Creates a payment mode from a name that this package, the App Store or Xcode uses; case and punctuation do not
    /// matter.
    init?(word: String) {
        switch NormalizedMembers.folded(word) {
        case "free", "freetrial": self = .freeTrial
        case "payasyougo": self = .payAsYouGo
        case "payupfront": self = .payUpFront
        case "onetime": self = .oneTime
        default: return nil
        }
    }
}

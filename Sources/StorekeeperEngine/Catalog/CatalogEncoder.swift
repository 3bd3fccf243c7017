import FoundationEssentials

/// Converts values to the form of a file format, and collects diagnostics about values that the format cannot store.
///
/// A member is written only if reading it returns the same value.
struct CatalogEncoder {
    /// The format of the file, for diagnostics.
    let format: WrittenCatalog.Format
    /// Returns whether the format can store a text.
    let isEncodable: (String) -> Bool
    private(set) var diagnostics: [Diagnostic] = []

    init(format: WrittenCatalog.Format, isEncodable: @escaping (String) -> Bool) {
        self.format = format
        self.isEncodable = isEncodable
    }

    private var what: String {
        switch format {
        case .json: "a JSON list"
        case .propertyList: "a property list"
        case .storeKitConfiguration: "a StoreKit configuration"
        }
    }

    /// Adds a diagnostic about a value that the format cannot store, such as a name or a price.
    mutating func reportLoss(_ part: String, of subject: String, severity: Diagnostic.Severity? = nil) {
        diagnostics.append(
            Diagnostic(
                .notWritten, severity: severity, subject: String(subject.prefix(80)),
                message: "\(what) cannot store \(part)"))
    }

    /// Returns an id as it is written; `nil` if the id is empty, has white space around it or cannot be written.
    func id(_ id: String) -> String? {
        let trimmed = XMLText.trimmed(id)
        return !id.isEmpty && trimmed.utf8.count == id.utf8.count && isEncodable(id) ? id : nil
    }

    /// Returns a text as it is written; `nil`, with a diagnostic, if the text cannot be written.
    mutating func text(_ text: String?, _ part: String, of subject: String) -> String? {
        guard let text else { return nil }
        guard !text.isEmpty, isEncodable(text) else {
            reportLoss("\(part) that is empty or has unsupported characters", of: subject)
            return nil
        }
        return text
    }

    /// Returns a price as text; `nil`, with a diagnostic, if reading the text would not return the same price.
    mutating func price(_ price: Decimal?, _ part: String = "the price", of subject: String) -> String? {
        guard let price else { return nil }
        let text = price.description
        guard let amount = DecimalText(text)?.amount, amount == price else {
            reportLoss("\(part) \(text.prefix(40)): a price is not negative and has at most 18 digits", of: subject)
            return nil
        }
        return text
    }

    /// Returns the text of a period; `nil`, with a diagnostic, if reading would change the text.
    mutating func period(_ period: SubscriptionPeriod?, of subject: String) -> String? {
        guard let text = period?.text else { return nil }
        guard id(text) != nil, CatalogDraft.isoPeriod(ofWords: text) == nil else {
            reportLoss("the period \"\(text.prefix(40))\"", of: subject)
            return nil
        }
        return text
    }

    /// Returns a count, such as a level; `nil`, with a diagnostic, if it is not from 1 to 1,000,000.
    mutating func count(_ count: Int?, _ part: String, of subject: String) -> Int? {
        guard let count else { return nil }
        guard (1...1_000_000).contains(count) else {
            reportLoss("\(part) \(count): it counts from 1 to 1000000", of: subject)
            return nil
        }
        return count
    }

    /// Returns a product's type; `nil`, with a diagnostic, if the type is unknown.
    mutating func type(_ type: Product.ProductType?, of subject: String) -> Product.ProductType? {
        guard let type else { return nil }
        guard Product.ProductType.catalogTypes.contains(type) else {
            reportLoss("the type \"\(type.rawValue.prefix(40))\"", of: subject)
            return nil
        }
        return type
    }

    /// Returns a billing plan's type; `nil`, with a diagnostic, if reading its raw string would not return the same
    /// type.
    mutating func planType(_ type: BillingPlanType?, of subject: String) -> BillingPlanType? {
        guard let type else { return nil }
        guard !type.rawValue.isEmpty, isEncodable(type.rawValue), BillingPlanType(word: type.rawValue) == type else {
            reportLoss("the billing plan \"\(type.rawValue.prefix(40))\"", of: subject)
            return nil
        }
        return type
    }
}

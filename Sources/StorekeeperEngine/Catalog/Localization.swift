extension Product {
    /// The name and description of a product in one language.
    public struct Localization: Hashable, Sendable {
        /// The language of the texts.
        public var locale: LocaleID
        /// The name that customers see; `nil` if the product has no name in this language.
        public var displayName: String?
        /// The description that customers see; `nil` if the product has no description in this language.
        public var description: String?

        /// Creates the texts of one language.
        public init(locale: LocaleID, displayName: String? = nil, description: String? = nil) {
            self.locale = locale
            self.displayName = displayName
            self.description = description
        }

        var isEmpty: Bool { displayName == nil && description == nil }
    }

    /// Returns the texts that are closest to a locale; `nil` if the files have no texts in its language.
    public func localization(for locale: LocaleID) -> Localization? {
        locale.closest(among: localizations.map(\.locale)).map { localizations[$0] }
    }

    /// Returns the name in a language; ``displayName`` if the product has no name in this language.
    public func displayName(in locale: LocaleID) -> String? { localization(for: locale)?.displayName ?? displayName }

    /// Returns the description in a language; ``description`` if the product has no description in this language.
    public func description(in locale: LocaleID) -> String? { localization(for: locale)?.description ?? description }

    /// Returns the price as customers of a locale read it, such as `9,99 €`; `nil` if the product has no price.
    ///
    /// The formats are from the Unicode CLDR; a price without a currency is returned as a number without a symbol.
    ///
    /// - SeeAlso: Apple, "StoreKit: Product.displayPrice".
    public func displayPrice(in locale: LocaleID) -> String? {
        price.map { LocaleFormat(locale).price($0, currency: currencyCode) }
    }

    /// Returns the price of one of the product's offers, as customers of a locale read it.
    public func displayPrice(of offer: SubscriptionOffer, in locale: LocaleID) -> String? {
        offer.price.map { LocaleFormat(locale).price($0, currency: currencyCode) }
    }
}

extension SubscriptionPeriod {
    /// Returns the period in words, such as `1 month`; an invalid period is returned as it was written.
    ///
    /// - Parameter locale: The language.
    public func displayText(in locale: LocaleID) -> String {
        guard let unit, let value, let letter = unit.rawValue.first else { return text }
        return LocaleFormat(locale).length(value, letter) ?? text
    }
}

extension SubscriptionGroup {
    /// The name of a group in one language.
    public struct Localization: Hashable, Sendable {
        /// The language of the texts.
        public var locale: LocaleID
        /// The name that customers see; `nil` if the group has no name in this language.
        public var displayName: String?
        /// The app name that customers see next to the group; `nil` if customers see the app's usual name.
        public var customAppName: String?
        /// The description of the group in a StoreKit configuration.
        package var description: String?

        /// Creates the texts of one language.
        public init(locale: LocaleID, displayName: String? = nil, customAppName: String? = nil) {
            self.locale = locale
            self.displayName = displayName
            self.customAppName = customAppName
        }

        var isEmpty: Bool { displayName == nil && customAppName == nil && description == nil }
    }

    /// Returns the name that customers see in a language; ``name`` if the group has no name in this language.
    public func displayName(in locale: LocaleID) -> String? {
        locale.closest(among: localizations.map(\.locale)).flatMap { localizations[$0].displayName } ?? name
    }
}

// MARK: - Reading and writing

extension CatalogDraft {
    /// Returns the language of a file's default names and descriptions; `nil` if the value contains no language.
    static func locale(_ value: DocumentValue?) -> LocaleID? {
        value?.string.map { LocaleID($0) }.flatMap { $0.language.isEmpty ? nil : $0 }
    }

    /// Reads an array of texts in several languages; entries without a language or without a text are left out.
    static func localizations<Texts>(
        _ value: DocumentValue?, _ read: (LocaleID, NormalizedMembers) -> Texts?
    ) -> [Texts] {
        var seen: Set<LocaleID> = []
        return (value?.array ?? []).compactMap { element in
            guard let entry = element.dictionary else { return nil }
            let members = NormalizedMembers(entry)
            guard let word = members["locale"]?.string, !word.isEmpty else { return nil }
            let locale = LocaleID(XMLText.trimmed(word))
            guard let texts = read(locale, members), seen.insert(locale).inserted else { return nil }
            return texts
        }
    }

    /// Returns the index of the texts that become a product's default name and description.
    ///
    /// The chosen texts are closest to the file's locale. If no texts have its language, the texts in American English
    /// are chosen.
    static func chosen(among known: [LocaleID], for locale: LocaleID?) -> Int? {
        locale.flatMap { $0.language.isEmpty ? nil : $0.closest(among: known) } ?? known.firstIndex(of: americanEnglish)
    }

    private static let americanEnglish: LocaleID = "en_US"

    /// Reads the texts of a product.
    static func localizations(of value: DocumentValue?) -> [Product.Localization] {
        localizations(value) { locale, members in
            let texts = Product.Localization(
                locale: locale, displayName: members["displayname"]?.nonEmptyString,
                description: members["description"]?.nonEmptyString)
            return texts.isEmpty ? nil : texts
        }
    }

    /// Reads the texts of a group.
    static func groupLocalizations(of value: DocumentValue?) -> [SubscriptionGroup.Localization] {
        localizations(value) { locale, members in
            var texts = SubscriptionGroup.Localization(
                locale: locale, displayName: members["displayname"]?.nonEmptyString,
                customAppName: members["customappname"]?.nonEmptyString)
            texts.description = members["description"]?.nonEmptyString
            return texts.isEmpty ? nil : texts
        }
    }
}

extension DocumentValue {
    /// The string; `nil` if the string is empty, and for a value that is not a string.
    fileprivate var nonEmptyString: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}

extension Array {
    /// Adds texts from a later place in the files; they replace existing texts in the same language.
    mutating func merge(_ later: [Element], _ locale: (Element) -> LocaleID) {
        for texts in later {
            if let index = firstIndex(where: { locale($0) == locale(texts) }) {
                self[index] = texts
            } else {
                append(texts)
            }
        }
    }
}

extension CatalogEncoder {
    /// Returns the texts of a product as they are written: one dictionary for each language.
    ///
    /// - Parameter blank: The text to write for an absent text; `nil` omits the member.
    mutating func localizations(
        _ localizations: [Product.Localization], of id: String, blank: String? = nil
    ) -> [DocumentValue] {
        localizations.compactMap { texts in
            let name = text(texts.displayName, "a name", of: id)
            let description = text(texts.description, "a description", of: id)
            guard name != nil || description != nil, let locale = self.id(texts.locale.identifier) else { return nil }
            var entry = DocumentDictionary()
            entry.add("description", text: description ?? blank)
            entry.add("displayName", text: name ?? blank)
            entry.add("locale", text: locale)
            return .dictionary(entry)
        }
    }

    /// Returns the texts of a group as they are written: one dictionary for each language.
    mutating func localizations(_ localizations: [SubscriptionGroup.Localization], of id: String) -> [DocumentValue] {
        localizations.compactMap { texts in
            let name = text(texts.displayName, "a name", of: id)
            let app = text(texts.customAppName, "the app's name", of: id)
            let description = text(texts.description, "a description", of: id)
            guard name != nil || app != nil || description != nil, let locale = self.id(texts.locale.identifier)
            else { return nil }
            var entry = DocumentDictionary()
            entry.add("customAppName", text: app)
            entry.add("description", text: description)
            entry.add("displayName", text: name)
            entry.add("locale", text: locale)
            return .dictionary(entry)
        }
    }
}

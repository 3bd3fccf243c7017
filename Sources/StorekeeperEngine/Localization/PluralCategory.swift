/// The plural categories that languages have for whole numbers from 1.
///
/// - SeeAlso: Unicode CLDR, "Language Plural Rules".
enum PluralCategory {
    /// Returns the name of the category in the Unicode CLDR: `one`, `two`, `few`, `many`, `zero` or `other`.
    ///
    /// - Parameter language: The code of the language; an unknown language distinguishes only 1 from all other numbers.
    static func of(_ count: Int, in language: String) -> String {
        let (units, hundreds) = (count % 10, count % 100)
        let isTeen = (11...19).contains(hundreds)
        switch language {
        case "id", "ja", "ko", "ms", "th", "vi", "zh": return "other"
        case "ar":
            if count <= 2 { return count == 1 ? "one" : count == 2 ? "two" : "zero" }
            return (3...10).contains(hundreds) ? "few" : hundreds >= 11 ? "many" : "other"
        case "cs", "sk": return count == 1 ? "one" : (2...4).contains(count) ? "few" : "other"
        case "he": return count == 1 ? "one" : count == 2 ? "two" : "other"
        case "hr", "sr":
            return isTeen ? "other" : units == 1 ? "one" : (2...4).contains(units) ? "few" : "other"
        case "lt": return isTeen || units == 0 ? "other" : units == 1 ? "one" : "few"
        case "lv": return isTeen || units == 0 ? "zero" : units == 1 ? "one" : "other"
        case "pl": return count == 1 ? "one" : !isTeen && (2...4).contains(units) ? "few" : "many"
        case "ro": return count == 1 ? "one" : (1...19).contains(hundreds) || count == 0 ? "few" : "other"
        case "ru", "uk":
            return isTeen ? "many" : units == 1 ? "one" : (2...4).contains(units) ? "few" : "many"
        case "sl": return hundreds == 1 ? "one" : hundreds == 2 ? "two" : (3...4).contains(hundreds) ? "few" : "other"
        default: return count == 1 ? "one" : "other"
        }
    }
}

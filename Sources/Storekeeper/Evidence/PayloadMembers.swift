/// Readings of a member that say what is wrong where it is not what it should be.
///
/// The text goes along with each reading, so that no reading counts one more owner of the document.
struct PayloadMember<Name: RawRepresentable<String>> {
    let member: Name
    let value: JSONToken

    /// The member's name, for messages.
    var name: String { member.rawValue }

    init(_ member: Name, _ value: JSONToken) {
        self.member = member
        self.value = value
    }

    func string(in text: Span<UInt8>) throws(PayloadError) -> String {
        guard let string = value.string(in: text) else { throw PayloadError(name, "is not a string") }
        return string
    }

    func nonEmptyString(in text: Span<UInt8>) throws(PayloadError) -> String {
        let string = try string(in: text)
        guard !string.isEmpty else { throw PayloadError(name, "is empty") }
        return string
    }

    /// The same of a text that other facts mostly have, too.
    func nonEmptyString(
        in text: Span<UInt8>, sharing texts: inout SharedTexts
    ) throws(PayloadError) -> String {
        guard let string = texts.string(of: value, in: text), !string.isEmpty else {
            // Says what is wrong.
            return try nonEmptyString(in: text)
        }
        return string
    }

    func bool() throws(PayloadError) -> Bool {
        guard let bool = value.bool else { throw PayloadError(name, "is not true or false") }
        return bool
    }

    func integer(in text: Span<UInt8>) throws(PayloadError) -> Int64 {
        guard let integer = value.int64(in: text) else {
            throw PayloadError(name, "is not a whole number of 64 bits")
        }
        return integer
    }

    /// Milliseconds since 1970; Xcode writes fractions, which are cut off.
    func instant(in text: Span<UInt8>) throws(PayloadError) -> Instant {
        guard let milliseconds = value.truncatedInt64(in: text),
            let instant = Instant(millisecondsSince1970: milliseconds)
        else { throw PayloadError(name, "is not a time in milliseconds since 1970") }
        return instant
    }

    /// A word of the App Store, known or not; one that is not known is noted.
    func word<Value: OpenWord>(
        in text: Span<UInt8>, _ unknown: inout UnknownValues, mayBeEmpty: Bool = true
    ) throws(PayloadError) -> Value {
        if let known = Value.words.value(of: value, in: text) { return known }
        let word = mayBeEmpty ? try string(in: text) : try nonEmptyString(in: text)
        return unknown.noting(Value(rawValue: word), of: self)
    }
}

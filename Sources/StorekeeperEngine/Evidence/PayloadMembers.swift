import FoundationEssentials

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

/// Readings of a member that is not required: one that cannot be read counts as absent and is noted, so that an odd
/// member never costs the refund that stands beside it.
extension PayloadMember {
    /// A text; an empty one says nothing.
    func text(in text: Span<UInt8>, _ unknown: inout UnknownValues) -> String? {
        do throws(PayloadError) {
            let string = try string(in: text)
            return string.isEmpty ? nil : string
        } catch {
            unknown.note(error)
            return nil
        }
    }

    /// A text that is not empty, and that other facts mostly have, too.
    func id(in text: Span<UInt8>, sharing texts: inout SharedTexts, _ unknown: inout UnknownValues) -> String? {
        do throws(PayloadError) {
            return try nonEmptyString(in: text, sharing: &texts)
        } catch {
            unknown.note(error)
            return nil
        }
    }

    /// `true` or `false`.
    func truth(_ unknown: inout UnknownValues) -> Bool? {
        do throws(PayloadError) {
            return try bool()
        } catch {
            unknown.note(error)
            return nil
        }
    }

    /// A whole number of a range.
    func number(
        in text: Span<UInt8>, of range: ClosedRange<Int64> = Int64.min...Int64.max, _ unknown: inout UnknownValues
    ) -> Int64? {
        do throws(PayloadError) {
            let number = try integer(in: text)
            guard range.contains(number) else {
                throw PayloadError(
                    name,
                    range.upperBound == .max
                        ? "is less than \(range.lowerBound)"
                        : "is not between \(range.lowerBound) and \(range.upperBound)")
            }
            return number
        } catch {
            unknown.note(error)
            return nil
        }
    }

    /// A number that stands for one of a few things, known or not.
    func code<Value: OpenValue>(in text: Span<UInt8>, _ unknown: inout UnknownValues) -> Value?
    where Value.RawValue == Int64 {
        number(in: text, &unknown).map { unknown.noting(Value(rawValue: $0), of: self) }
    }

    /// Milliseconds since 1970.
    func time(in text: Span<UInt8>, _ unknown: inout UnknownValues) -> Instant? {
        do throws(PayloadError) {
            return try instant(in: text)
        } catch {
            unknown.note(error)
            return nil
        }
    }

    /// A word of the App Store, known or not.
    func openWord<Value: OpenWord>(in text: Span<UInt8>, _ unknown: inout UnknownValues) -> Value? {
        do throws(PayloadError) {
            return try word(in: text, &unknown)
        } catch {
            unknown.note(error)
            return nil
        }
    }

    /// A UUID; an empty text says nothing.
    func uuid(in text: Span<UInt8>, _ unknown: inout UnknownValues) -> UUID? {
        self.text(in: text, &unknown).flatMap { unknown.uuid($0, of: self) }
    }
}

/// Collects members whose values this version does not know, or cannot read.
struct UnknownValues {
    private(set) var descriptions: [String] = []

    mutating func note(_ description: String) { descriptions.append(description) }

    /// Notes a member that counts as absent.
    mutating func note(_ error: PayloadError) { descriptions.append(error.description) }

    mutating func noting<Value: OpenValue>(_ value: Value, of member: PayloadMember<some RawRepresentable<String>>)
        -> Value
    {
        if !value.isKnown { descriptions.append("\(member.name): \(value.rawValue)") }
        return value
    }

    mutating func uuid(_ text: String, of member: PayloadMember<some RawRepresentable<String>>) -> UUID? {
        let uuid = UUIDText.uuid(text.utf8)
        // Not quoted: a token may say who the customer is.
        if uuid == nil, !text.isEmpty { descriptions.append("\(member.name): not a UUID") }
        return uuid
    }
}

/// Reads the members of an object inside a payload, none of which is required.
struct InnerMembers {
    let name: String
    let object: JSONObject

    /// Finds the object; `nil`, and noted, where the member is none.
    init?(_ value: JSONValue, named name: String, _ unknown: inout UnknownValues) {
        guard let object = value.object else {
            unknown.note(PayloadError(name, "is not an object"))
            return nil
        }
        (self.name, self.object) = (name, object)
    }

    func number(_ member: String, _ unknown: inout UnknownValues) -> Int64? {
        read(member, "is not a whole number of 64 bits", &unknown) { $0.int64 }
    }

    func text(_ member: String, _ unknown: inout UnknownValues) -> String? {
        read(member, "is not a string", &unknown) { $0.string }
    }

    func time(_ member: String, _ unknown: inout UnknownValues) -> Instant? {
        read(member, "is not a time in milliseconds since 1970", &unknown) {
            $0.truncatedInt64.flatMap(Instant.init(millisecondsSince1970:))
        }
    }

    private func read<Value>(
        _ member: String, _ problem: String, _ unknown: inout UnknownValues, _ reading: (JSONValue) -> Value?
    ) -> Value? {
        guard let value = object[member], !value.isNull else { return nil }
        let read = reading(value)
        if read == nil { unknown.note(PayloadError("\(name).\(member)", problem)) }
        return read
    }
}

import FoundationEssentials

/// Reads the members of a payload, each by the App Store's name for it.
///
/// One pass over the object finds where each member stands, so that the name of a member is written once, beside the
/// property it becomes, and reading it costs one look.
struct PayloadReader {
    /// Members whose words or numbers this version does not know, as `name: value`, and such as count as absent
    /// because they cannot be read, as `name` and what is wrong.
    private(set) var unknownValues: [String] = []

    private let object: JSONObject
    private let places: JSONMemberPlaces?
    /// What stands before the names of members in messages.
    private let path: String

    /// The name of a member.
    typealias Name = JSONMemberPlaces.Name

    /// Makes a reader of a payload.
    ///
    /// - Throws: ``PayloadError`` where the payload is no object.
    init(_ payload: JSONValue) throws(PayloadError) {
        guard let object = payload.object else { throw PayloadError("payload", "is not an object") }
        self.init(object, places: object.places, path: "")
    }

    /// Makes a reader of a few members inside a payload.
    private init(_ object: JSONObject, places: JSONMemberPlaces? = nil, path: String) {
        self.object = object
        self.places = places
        self.path = path
    }

    /// The index of a member's value; `nil` where there is none, or it is `null`.
    private func index(of name: Name) -> Int? {
        guard let places else { return object[name.description]?.index }
        let (tokens, bytes) = (object.value.document.tokens, object.value.document.bytes)
        guard let index = places.index(of: name, in: tokens.span, text: bytes.span),
            tokens[index + 1].kind != .null
        else { return nil }
        return index + 1
    }

    private func value(of name: Name) -> JSONValue? {
        index(of: name).map { JSONValue(document: object.value.document, index: $0) }
    }

    /// Whether there is a member that is not `null`.
    func has(_ name: Name) -> Bool { index(of: name) != nil }

    private func error(_ name: Name, _ problem: String) -> PayloadError {
        PayloadError(path + name.description, problem)
    }

    /// Reads a member; `nil` where there is none.
    @inline(__always)
    private func read<Value>(
        _ name: Name, _ problem: StaticString, _ reading: (JSONToken, Span<UInt8>) -> Value?
    ) throws(PayloadError) -> Value? {
        guard let index = index(of: name) else { return nil }
        let bytes = object.value.document.bytes
        guard let value = reading(object.value.document.tokens[index], bytes.span) else {
            throw error(name, problem.description)
        }
        return value
    }
}

// MARK: - Members that are what they should be

/// Readings that fail where a member is there and is not what it should be; without it they give `nil`.
extension PayloadReader {
    func string(_ name: Name) throws(PayloadError) -> String? {
        try read(name, "is not a string") { $0.string(in: $1) }
    }

    func integer(_ name: Name) throws(PayloadError) -> Int64? {
        try read(name, "is not a whole number of 64 bits") { $0.int64(in: $1) }
    }

    /// Milliseconds since 1970; Xcode writes fractions, which are cut off.
    func instant(_ name: Name) throws(PayloadError) -> Instant? {
        try read(name, "is not a time in milliseconds since 1970") {
            $0.truncatedInt64(in: $1).flatMap(Instant.init(millisecondsSince1970:))
        }
    }

    /// A UUID; an empty text says nothing, and one that is no UUID is noted.
    mutating func strictUUID(_ name: Name) throws(PayloadError) -> UUID? {
        try string(name).flatMap { uuid(of: $0, name) }
    }

    private mutating func uuid(of text: String, _ name: Name) -> UUID? {
        let uuid = UUIDText.uuid(text.utf8)
        // Not quoted: a token may say who the customer is.
        if uuid == nil, !text.isEmpty { unknownValues.append("\(path)\(name): not a UUID") }
        return uuid
    }

    /// The reader of an object, which in messages calls its members by their names alone.
    func part(_ name: Name) throws(PayloadError) -> PayloadReader {
        guard let value = value(of: name) else { throw missing(name) }
        guard let object = value.object else { throw error(name, "is not an object") }
        return PayloadReader(object, path: "")
    }

    private func nonEmptyString(_ name: Name) throws(PayloadError) -> String? {
        let string = try string(name)
        guard string?.isEmpty != true else { throw error(name, "is empty") }
        return string
    }

    /// A word of the App Store, known or not; one that is not known is noted.
    mutating func word<Value: OpenWord>(_ name: Name) throws(PayloadError) -> Value? {
        var isKnown = true
        let word = try read(name, "is not a string") { token, text -> Value? in
            if let known = Value.words.value(of: token, in: text) { return known }
            isKnown = false
            return token.string(in: text).map(Value.init(rawValue:))
        }
        if !isKnown, let word { recordUnknown(word, of: name) }
        return word
    }
}

// MARK: - Members that must be there

extension PayloadReader {
    /// A text that is not empty.
    func requiredText(_ name: Name) throws(PayloadError) -> String {
        guard let text = try nonEmptyString(name) else { throw missing(name) }
        return text
    }

    /// Milliseconds since 1970.
    func requiredTime(_ name: Name) throws(PayloadError) -> Instant {
        guard let instant = try instant(name) else { throw missing(name) }
        return instant
    }

    /// A word of the App Store that is not empty, known or not; one that is not known is noted.
    mutating func requiredWord<Value: OpenWord>(_ name: Name) throws(PayloadError) -> Value {
        guard let word: Value = try word(name) else { throw missing(name) }
        guard !word.rawValue.isEmpty else { throw error(name, "is empty") }
        return word
    }

    private func missing(_ name: Name) -> PayloadError { error(name, "is missing") }
}

// MARK: - Members that may be odd

/// Readings of a member that is not required: one that cannot be read counts as absent and is noted, so that an odd
/// member never costs the refund that stands beside it.
extension PayloadReader {
    /// A text; an empty one says nothing.
    mutating func text(_ name: Name) -> String? {
        guard let text = noting({ reader throws(PayloadError) in try reader.string(name) }), !text.isEmpty else {
            return nil
        }
        return text
    }

    /// A text that is not empty.
    mutating func id(_ name: Name) -> String? {
        noting { reader throws(PayloadError) in try reader.nonEmptyString(name) }
    }

    /// `true` or `false`.
    mutating func truth(_ name: Name) -> Bool? {
        noting { reader throws(PayloadError) in
            try reader.read(name, "is not true or false") { token, _ in token.bool }
        }
    }

    /// A whole number.
    mutating func number(_ name: Name) -> Int64? {
        noting { reader throws(PayloadError) in try reader.integer(name) }
    }

    /// A whole number of a range.
    mutating func number(_ name: Name, in range: ClosedRange<Int64>) -> Int64? {
        guard let number = number(name) else { return nil }
        guard range.contains(number) else {
            recordUnreadable(
                error(
                    name,
                    range.upperBound == .max
                        ? "is less than \(range.lowerBound)"
                        : "is not between \(range.lowerBound) and \(range.upperBound)"))
            return nil
        }
        return number
    }

    /// A number that stands for one of a few things, known or not.
    mutating func code<Value: OpenValue>(_ name: Name) -> Value? where Value.RawValue == Int64 {
        guard let value = number(name).map(Value.init(rawValue:)) else { return nil }
        if !value.isKnown { recordUnknown(value, of: name) }
        return value
    }

    /// Milliseconds since 1970.
    mutating func time(_ name: Name) -> Instant? {
        noting { reader throws(PayloadError) in try reader.instant(name) }
    }

    /// A word of the App Store, known or not.
    mutating func openWord<Value: OpenWord>(_ name: Name) -> Value? {
        do throws(PayloadError) {
            return try word(name)
        } catch {
            recordUnreadable(error)
            return nil
        }
    }

    /// A UUID; an empty text says nothing.
    mutating func uuid(_ name: Name) -> UUID? {
        text(name).flatMap { uuid(of: $0, name) }
    }

    /// The texts of an array; what is none of them is left out.
    mutating func texts(_ name: Name) -> [String] {
        guard let value = value(of: name) else { return [] }
        let strings = value.array?.map(\.string)
        if strings?.contains(nil) ?? true { recordUnreadable(error(name, "is not an array of strings")) }
        return strings?.compactMap { $0 } ?? []
    }

    /// An object, whose members are read in their turn.
    mutating func object<Value>(_ name: Name, _ reading: (inout PayloadReader) -> Value) -> Value? {
        guard let value = value(of: name) else { return nil }
        guard let object = value.object else {
            recordUnreadable(error(name, "is not an object"))
            return nil
        }
        var inner = PayloadReader(object, path: "\(path)\(name).")
        let result = reading(&inner)
        unknownValues += inner.unknownValues
        return result
    }

    /// Makes a member count as absent that cannot be read.
    @inline(__always)
    private mutating func noting<Value>(_ reading: (Self) throws(PayloadError) -> Value?) -> Value? {
        do throws(PayloadError) {
            return try reading(self)
        } catch {
            recordUnreadable(error)
            return nil
        }
    }

    private mutating func recordUnreadable(_ error: PayloadError) { unknownValues.append(error.description) }

    private mutating func recordUnknown(_ value: some OpenValue, of name: Name) {
        unknownValues.append("\(path)\(name): \(value.rawValue)")
    }
}

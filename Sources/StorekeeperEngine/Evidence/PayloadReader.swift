import FoundationEssentials

/// Reads the members of a payload by the names that the App Store uses.
///
/// One pass over the object finds the position of each member, so that reading a member takes only one look-up.
struct PayloadReader {
    /// Remarks about members that this version of the package does not understand.
    ///
    /// A member with an unknown string or number is listed as `name: value`. An unreadable member counts as absent and
    /// is listed with its name and the reason.
    private(set) var unknownValues: [String] = []

    private let object: JSONObject
    private let places: JSONMemberPlaces?
    /// The prefix of member names in messages, such as `commitmentInfo.` for members of an inner object.
    private let path: String

    /// The name of a member.
    typealias Name = JSONMemberPlaces.Name

    /// Creates a reader of a payload.
    ///
    /// - Throws: ``PayloadError`` if the payload is not an object.
    init(_ payload: JSONValue) throws(PayloadError) {
        guard let object = payload.object else { throw PayloadError("payload", "is not an object") }
        self.init(object, places: object.places, path: "")
    }

    /// Creates a reader of an object inside a payload.
    private init(_ object: JSONObject, places: JSONMemberPlaces? = nil, path: String) {
        self.object = object
        self.places = places
        self.path = path
    }

    /// Returns the index of a member's value; `nil` if the member is absent or `null`.
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

    /// Returns whether a member is present and not `null`.
    func has(_ name: Name) -> Bool { index(of: name) != nil }

    private func error(_ name: Name, _ problem: String) -> PayloadError {
        PayloadError(path + name.description, problem)
    }

    /// Returns the value of a member, or `nil` if the member is absent; throws an error if the value cannot be read.
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

// MARK: - Members that are valid or absent

/// Functions that throw if a member is present and invalid, and return `nil` if a member is absent.
extension PayloadReader {
    func string(_ name: Name) throws(PayloadError) -> String? {
        try read(name, "is not a string") { $0.string(in: $1) }
    }

    func integer(_ name: Name) throws(PayloadError) -> Int64? {
        try read(name, "is not a whole number of 64 bits") { $0.int64(in: $1) }
    }

    /// Returns the instant of a member that is a number of milliseconds since 1970; the fractions that Xcode writes are
    /// ignored.
    func instant(_ name: Name) throws(PayloadError) -> Instant? {
        try read(name, "is not a time in milliseconds since 1970") {
            $0.truncatedInt64(in: $1).flatMap(Instant.init(millisecondsSince1970:))
        }
    }

    /// Returns a reader of the object that is a member's value; throws if the member is absent.
    ///
    /// The messages of the returned reader name the members of the object without a path. The returned reader also lists
    /// the unknown values that this reader has found.
    func part(_ name: Name) throws(PayloadError) -> PayloadReader {
        guard let value = value(of: name) else { throw missing(name) }
        guard let object = value.object else { throw error(name, "is not an object") }
        var part = PayloadReader(object, path: "")
        part.unknownValues = unknownValues
        return part
    }

    private func nonEmptyString(_ name: Name) throws(PayloadError) -> String? {
        let string = try string(name)
        guard string?.isEmpty != true else { throw error(name, "is empty") }
        return string
    }

    /// Returns the value of a member that is a string; a string that this version does not know is returned and
    /// recorded.
    mutating func word<Value: OpenStringValue>(_ name: Name) throws(PayloadError) -> Value? {
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

// MARK: - Required members

extension PayloadReader {
    /// Returns the text of a member; throws if the text is absent or empty.
    func requiredText(_ name: Name) throws(PayloadError) -> String {
        guard let text = try nonEmptyString(name) else { throw missing(name) }
        return text
    }

    /// Returns the instant of a member that is a number of milliseconds since 1970; throws if the member is absent.
    func requiredTime(_ name: Name) throws(PayloadError) -> Instant {
        guard let instant = try instant(name) else { throw missing(name) }
        return instant
    }

    /// Returns the value of a member that is a string; throws if it is absent or empty, and records an unknown string.
    mutating func requiredWord<Value: OpenStringValue>(_ name: Name) throws(PayloadError) -> Value {
        guard let word: Value = try word(name) else { throw missing(name) }
        guard !word.rawValue.isEmpty else { throw error(name, "is empty") }
        return word
    }

    private func missing(_ name: Name) -> PayloadError { error(name, "is missing") }
}

// MARK: - Optional members

/// Functions that read optional members.
///
/// An unreadable member counts as absent and is recorded, so that it does not invalidate the other members.
extension PayloadReader {
    /// Returns the text of a member; an empty text counts as absent.
    mutating func text(_ name: Name) -> String? {
        guard let text = noting({ reader throws(PayloadError) in try reader.string(name) }), !text.isEmpty else {
            return nil
        }
        return text
    }

    /// Returns the text of a member; an empty text counts as absent and is recorded.
    mutating func id(_ name: Name) -> String? {
        noting { reader throws(PayloadError) in try reader.nonEmptyString(name) }
    }

    /// Returns the Boolean value of a member.
    mutating func truth(_ name: Name) -> Bool? {
        noting { reader throws(PayloadError) in
            try reader.read(name, "is not true or false") { token, _ in token.bool }
        }
    }

    /// Returns the value of a member as a whole number.
    mutating func number(_ name: Name) -> Int64? {
        noting { reader throws(PayloadError) in try reader.integer(name) }
    }

    /// Returns the whole number of a member; a number outside the range counts as absent and is recorded.
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

    /// Returns the numeric code of a member; a code that this version does not know is returned and recorded.
    mutating func code<Value: OpenValue>(_ name: Name) -> Value? where Value.RawValue == Int64 {
        guard let value = number(name).map(Value.init(rawValue:)) else { return nil }
        if !value.isKnown { recordUnknown(value, of: name) }
        return value
    }

    /// Returns the instant of a member that is a number of milliseconds since 1970.
    mutating func time(_ name: Name) -> Instant? {
        noting { reader throws(PayloadError) in try reader.instant(name) }
    }

    /// Returns the value of a member that is a string; a string that this version does not know is returned and
    /// recorded.
    mutating func openWord<Value: OpenStringValue>(_ name: Name) -> Value? {
        do throws(PayloadError) {
            return try word(name)
        } catch {
            recordUnreadable(error)
            return nil
        }
    }

    /// Returns the UUID of a member; an empty text counts as absent.
    mutating func uuid(_ name: Name) -> UUID? {
        guard let text = text(name) else { return nil }
        let uuid = UUIDText.uuid(text.utf8)
        // The remark does not contain the value, because a token may identify the customer.
        if uuid == nil { unknownValues.append("\(path)\(name): not a UUID") }
        return uuid
    }

    /// Returns the texts of an array; elements that are not texts are left out and recorded.
    mutating func texts(_ name: Name) -> [String] {
        guard let value = value(of: name) else { return [] }
        let strings = value.array?.map(\.string)
        if strings?.contains(nil) ?? true { recordUnreadable(error(name, "is not an array of strings")) }
        return strings?.compactMap { $0 } ?? []
    }

    /// Returns the result of `reading` for the object that is a member's value; `nil` if the member is absent or is not
    /// an object.
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

    /// Returns the result of a function that reads a member; if the function throws, records the error and returns
    /// `nil`.
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

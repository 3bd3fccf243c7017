/// One value or member name of a document.
struct JSONToken: Sendable {
    enum Kind: UInt8, Sendable { case object, array, string, escapedString, number, `true`, `false`, null }

    var kind: Kind
    /// The position of the token's text; the text of a string is the text between its quotes.
    var start: UInt32
    /// The number of bytes of the token's text.
    var length: UInt32
    /// The index of the first token after this token and its content.
    var next: UInt32

    /// The range of the token's text in the document.
    var range: Range<Int> { Int(start)..<Int(start) + Int(length) }

    /// Returns the text of a string, with its escapes resolved; `nil` for any other value.
    func string(in text: Span<UInt8>) -> String? {
        switch kind {
        case .string: text.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        case .escapedString: text.extracting(range).withUnsafeBufferPointer { JSONEscapes.resolved(Array($0)[...]) }
        default: nil
        }
    }

    /// The Boolean value; `nil` for any other value.
    var bool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// Returns the value of a whole number in any notation (`5`, `5.0`, `5e0`) that fits in `Int64`; `nil` for other
    /// values.
    func int64(in text: Span<UInt8>) -> Int64? {
        guard kind == .number, let (value, isExact) = JSONNumber.whole(text.extracting(range)), isExact else {
            return nil
        }
        return value
    }

    /// Returns the whole part of a number; `nil` if the whole part does not fit in `Int64`, and for a token that is not
    /// a number.
    func truncatedInt64(in text: Span<UInt8>) -> Int64? {
        kind == .number ? JSONNumber.whole(text.extracting(range))?.value : nil
    }
}

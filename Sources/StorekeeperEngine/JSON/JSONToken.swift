/// One value or member name of a document.
struct JSONToken: Sendable {
    enum Kind: UInt8, Sendable { case object, array, string, escapedString, number, `true`, `false`, null }

    var kind: Kind
    /// Where the text of the token starts; a string's text is what stands between its quotes.
    var start: UInt32
    /// How many bytes the text of the token has.
    var length: UInt32
    /// The index of the first token behind this one and all it contains.
    var next: UInt32

    /// Where the text of the token stands in the document.
    var range: Range<Int> { Int(start)..<Int(start) + Int(length) }

    /// The text of a string, with its escapes resolved; `nil` for anything else.
    func string(in text: Span<UInt8>) -> String? {
        switch kind {
        case .string: text.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        case .escapedString: text.extracting(range).withUnsafeBufferPointer { JSONEscapes.resolved(Array($0)[...]) }
        default: nil
        }
    }

    /// `true` or `false`; `nil` for anything else.
    var bool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The value of a number that is whole and fits, however it was written (`5`, `5.0`, `5e0`); otherwise `nil`.
    func int64(in text: Span<UInt8>) -> Int64? {
        guard kind == .number, let (value, isExact) = JSONNumber.whole(text.extracting(range)), isExact else {
            return nil
        }
        return value
    }

    /// The value of a number with its fraction cut off, where the rest fits; otherwise `nil`.
    func truncatedInt64(in text: Span<UInt8>) -> Int64? {
        kind == .number ? JSONNumber.whole(text.extracting(range))?.value : nil
    }
}

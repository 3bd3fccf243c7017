/// The reason why a text is not acceptable JSON.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault, for programs to switch on.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The word, which does not change between releases.
        package let rawValue: String
        /// Makes a code from its word.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The text ends before its value does.
        package static let unexpectedEnd = Code(rawValue: "unexpectedEnd")
        /// A character that the grammar does not allow there.
        package static let unexpectedCharacter = Code(rawValue: "unexpectedCharacter")
        /// Content follows the value.
        package static let trailingContent = Code(rawValue: "trailingContent")
        /// An object names a member twice.
        package static let duplicateMember = Code(rawValue: "duplicateMember")
        /// Arrays and objects are nested deeper than the limit.
        package static let tooDeep = Code(rawValue: "tooDeep")
        /// The text has more bytes than the limit.
        package static let tooLarge = Code(rawValue: "tooLarge")
        /// A string is not UTF-8, or an escape in it is not a valid character.
        package static let invalidString = Code(rawValue: "invalidString")
        /// A number does not follow the grammar.
        package static let invalidNumber = Code(rawValue: "invalidNumber")
    }

    /// The kind of fault.
    package let code: Code
    /// The fault in words, without the place.
    package let message: String
    /// The place of the fault: the number of bytes before it.
    package let offset: Int
    /// The line of the fault, from 1.
    package let line: Int
    /// The column of the fault in bytes, from 1.
    package let column: Int

    init(_ code: Code, _ message: String, at offset: Int, in bytes: some Collection<UInt8>) {
        self.code = code
        self.message = message
        self.offset = offset
        let before = bytes.prefix(offset)
        line = 1 + before.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        column = 1 + before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count
    }

    /// The message and the place, in one line.
    package var description: String { "\(message) at line \(line), column \(column)" }
}

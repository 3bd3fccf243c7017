/// The reason why a text could not be read as JSON.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A machine-readable code of the error.
    package struct Code: ErrorCode {
        /// The code as text.
        package let rawValue: String
        /// Creates a code from its text.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The text ends before its value is complete.
        package static let unexpectedEnd = Code(rawValue: "unexpectedEnd")
        /// The grammar does not allow a character at its position.
        package static let unexpectedCharacter = Code(rawValue: "unexpectedCharacter")
        /// The text continues after the value.
        package static let trailingContent = Code(rawValue: "trailingContent")
        /// An object contains two members with the same name.
        package static let duplicateMember = Code(rawValue: "duplicateMember")
        /// Arrays and objects are nested deeper than the limit.
        package static let tooDeep = Code(rawValue: "tooDeep")
        /// The text has more bytes than the limit.
        package static let tooLarge = Code(rawValue: "tooLarge")
        /// A string is not UTF-8, or has an invalid escape.
        package static let invalidString = Code(rawValue: "invalidString")
        /// A number does not follow the JSON grammar.
        package static let invalidNumber = Code(rawValue: "invalidNumber")
    }

    /// The code of the error.
    package let code: Code
    /// A description of the error without its position.
    package let message: String
    /// The position of the error, as the number of bytes before the error.
    package let offset: Int
    /// The line of the error, from 1.
    package let line: Int
    /// The column of the error in bytes, from 1.
    package let column: Int

    init(_ code: Code, _ message: String, at offset: Int, in bytes: some Collection<UInt8>) {
        self.code = code
        self.message = message
        self.offset = offset
        let before = bytes.prefix(offset)
        line = 1 + before.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        column = 1 + before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count
    }

    /// The message and the position, in one line.
    package var description: String { "\(message) at line \(line), column \(column)" }
}

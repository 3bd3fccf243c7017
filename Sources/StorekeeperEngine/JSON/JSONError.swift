/// Why a text is not JSON that this project accepts.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, for programs to switch on.
    package struct Code: ErrorCode {
        /// The word.
        package let rawValue: String
        /// Makes a code of its word.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The text ends before its value does.
        package static let unexpectedEnd = Code(rawValue: "unexpectedEnd")
        /// A character stands where the grammar does not allow it.
        package static let unexpectedCharacter = Code(rawValue: "unexpectedCharacter")
        /// Something follows the value.
        package static let trailingContent = Code(rawValue: "trailingContent")
        /// An object names a member twice.
        package static let duplicateMember = Code(rawValue: "duplicateMember")
        /// Arrays and objects stand deeper in one another than the limit.
        package static let tooDeep = Code(rawValue: "tooDeep")
        /// The text has more bytes than the limit.
        package static let tooLarge = Code(rawValue: "tooLarge")
        /// A string is not UTF-8, or an escape in it stands for no character.
        package static let invalidString = Code(rawValue: "invalidString")
        /// A number does not follow the grammar.
        package static let invalidNumber = Code(rawValue: "invalidNumber")
    }

    /// What is wrong.
    package let code: Code
    /// What is wrong, in words, without the place.
    package let message: String
    /// Where it is wrong: bytes before it.
    package let offset: Int
    /// Where it is wrong: the line, from 1.
    package let line: Int
    /// Where it is wrong: the column in bytes, from 1.
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

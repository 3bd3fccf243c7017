/// Finds which member of a payload a name stands for, without making a string of it.
struct MemberTable<Member: CaseIterable & RawRepresentable & Sendable>: Sendable where Member.RawValue == String {
    private struct Entry: Sendable {
        let fingerprint: UInt64
        let name: [UInt8]
        let member: Member
    }

    /// The members, those of one length together.
    private let entries: [Entry]
    /// Where the members of each length stand in ``entries``.
    private let ranges: [Range<Int>]

    init(_ type: Member.Type) {
        let longest = Member.allCases.map(\.rawValue.utf8.count).max() ?? 0
        var entries: [Entry] = []
        var ranges: [Range<Int>] = []
        for length in 0...longest {
            let start = entries.count
            for member in Member.allCases where member.rawValue.utf8.count == length {
                let name = Array(member.rawValue.utf8)
                entries.append(
                    Entry(
                        fingerprint: ByteScan.fingerprint(name.span, from: 0, count: length), name: name, member: member
                    ))
            }
            ranges.append(start..<entries.count)
        }
        self.entries = entries
        self.ranges = ranges
    }

    /// The member with the name, `nil` where it is none of ours.
    func member(of member: JSONObject.Member) -> Member? {
        let token = member.document.tokens[member.index]
        guard token.kind == .string else { return Member(rawValue: member.name) }
        let (start, length) = (Int(token.start), Int(token.length))
        guard length < ranges.count, !ranges[length].isEmpty else { return nil }
        let bytes = member.document.bytes
        let text = bytes.span
        let fingerprint = ByteScan.fingerprint(text, from: start, count: length)
        for position in ranges[length] where entries[position].fingerprint == fingerprint {
            let name = entries[position].name
            if ByteScan.areEqual(name.span, text.extracting(start..<start + length)) {
                return entries[position].member
            }
        }
        return nil
    }
}

/// Readings of a member that say what is wrong where it is not what it should be.
struct PayloadMember<Name: RawRepresentable<String>> {
    let member: Name
    let value: JSONValue

    /// The member's name, for messages.
    var name: String { member.rawValue }

    init(_ member: Name, _ value: JSONValue) {
        self.member = member
        self.value = value
    }

    func string() throws(PayloadError) -> String {
        guard let string = value.string else { throw PayloadError(name, "is not a string") }
        return string
    }

    func nonEmptyString() throws(PayloadError) -> String {
        let string = try string()
        guard !string.isEmpty else { throw PayloadError(name, "is empty") }
        return string
    }

    func bool() throws(PayloadError) -> Bool {
        guard let bool = value.bool else { throw PayloadError(name, "is not true or false") }
        return bool
    }

    func integer() throws(PayloadError) -> Int64 {
        guard let integer = value.int64 else { throw PayloadError(name, "is not a whole number of 64 bits") }
        return integer
    }

    /// Milliseconds since 1970; Xcode writes fractions, which are cut off.
    func instant() throws(PayloadError) -> Instant {
        guard let milliseconds = value.truncatedInt64, let instant = Instant(millisecondsSince1970: milliseconds) else {
            throw PayloadError(name, "is not a time in milliseconds since 1970")
        }
        return instant
    }

    func strings() throws(PayloadError) -> [String] {
        guard let array = value.array else { throw PayloadError(name, "is not an array of strings") }
        var strings: [String] = []
        for element in array {
            guard let string = element.string else { throw PayloadError(name, "is not an array of strings") }
            strings.append(string)
        }
        return strings
    }
}

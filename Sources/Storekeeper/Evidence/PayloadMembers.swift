/// Finds which member of a payload a name stands for, without making a string of it.
struct MemberTable<Member: CaseIterable & RawRepresentable & Sendable>: Sendable where Member.RawValue == String {
    private let byLength: [[(name: [UInt8], member: Member)]]

    init(_ type: Member.Type) {
        var table = [[(name: [UInt8], member: Member)]](repeating: [], count: 64)
        for member in Member.allCases {
            table[member.rawValue.utf8.count].append((Array(member.rawValue.utf8), member))
        }
        byLength = table
    }

    /// The member with the name, `nil` where it is none of ours.
    func member(of member: JSONObject.Member) -> Member? {
        guard member.nameToken.token.kind == .string else {
            return Member(rawValue: member.name)
        }
        let name = member.nameToken.source
        guard name.count < byLength.count else { return nil }
        return byLength[name.count].first { $0.name[...] == name }?.member
    }
}

/// Readings of a member that say what is wrong where it is not what it should be.
struct PayloadMember {
    let name: String
    let value: JSONValue

    init(_ member: some RawRepresentable<String>, _ value: JSONValue) {
        name = member.rawValue
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

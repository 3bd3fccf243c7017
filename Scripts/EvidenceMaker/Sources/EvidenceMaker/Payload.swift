import Storekeeper

/// An editable payload: members by the App Store's names.
struct Payload {
    private(set) var members: [String: JSONText] = [:]

    /// Sets a member from a description; `null` removes a default.
    mutating func set(_ name: String, to value: DescriptionNode, _ kind: Member.Kind) throws {
        guard !value.isNull else {
            members[name] = .null
            return
        }
        switch kind {
        case .text: members[name] = .string(try value.text())
        case .number: members[name] = .integer(try value.number())
        case .flag: members[name] = .bool(try value.flag())
        case .date: members[name] = .integer(try value.instant().millisecondsSince1970)
        }
    }

    /// Sets a member unless it has been set.
    mutating func setDefault(_ name: String, _ value: JSONText) {
        if members[name] == nil { members[name] = value }
    }

    /// Removes a member, so that its default counts again.
    mutating func forget(_ name: String) { members[name] = nil }

    /// Returns the text value of a member.
    func text(_ name: String) -> String? {
        if case .string(let text)? = members[name] { text } else { nil }
    }

    /// Returns the whole-number value of a member.
    func number(_ name: String) -> Int64? {
        if case .integer(let number)? = members[name] { number } else { nil }
    }

    /// Returns the instant of a member.
    func instant(_ name: String) -> Instant? { number(name).flatMap(Instant.init(millisecondsSince1970:)) }

    /// The payload as the App Store would write it: members sorted by name, no blanks.
    var json: [UInt8] { JSONText.object(members).bytes() }
}

/// The rule that member names of an object are unique.
enum JSONMemberNames {
    /// The maximum number of names that are compared in pairs; more names are compared with a set.
    private static let pairwiseLimit = 64

    /// Checks the member names of one object.
    ///
    /// - Throws: ``JSONError`` with `duplicateMember` and the position of the second of two equal names. Names are
    ///   compared after their escapes are resolved.
    static func check(bytes: [UInt8], tokens: [JSONToken], object: Int) throws(JSONError) {
        if JSONMemberPlaces.areDistinct(object, in: tokens.span, text: bytes.span) { return }
        let end = Int(tokens[object].next)
        var names: [Int] = []
        var hasEscapes = false
        var position = object + 1
        while position + 1 < end {
            names.append(position)
            if tokens[position].kind == .escapedString { hasEscapes = true }
            position = Int(tokens[position + 1].next)
        }
        if hasEscapes || names.count > pairwiseLimit {
            var seen: Set<[UInt8]> = []
            for name in names {
                let range = Int(tokens[name].start)..<Int(tokens[name].start) + Int(tokens[name].length)
                let text =
                    tokens[name].kind == .escapedString
                    ? Array(JSONEscapes.resolved(bytes[range]).utf8) : Array(bytes[range])
                // Names are compared by their bytes, so that names that are only canonically equivalent are different.
                guard seen.insert(text).inserted else {
                    throw duplicate(name, bytes, tokens)
                }
            }
            return
        }
        for (count, name) in names.enumerated() {
            let length = tokens[name].length
            let start = Int(tokens[name].start)
            for earlier in names[..<count] where tokens[earlier].length == length {
                let other = Int(tokens[earlier].start)
                if bytes[start..<start + Int(length)] == bytes[other..<other + Int(length)] {
                    throw duplicate(name, bytes, tokens)
                }
            }
        }
    }

    private static func duplicate(_ name: Int, _ bytes: [UInt8], _ tokens: [JSONToken]) -> JSONError {
        let start = Int(tokens[name].start)
        let text = String(decoding: bytes[start..<start + Int(min(tokens[name].length, 64))], as: UTF8.self)
        return JSONError(.duplicateMember, "the member \"\(text)\" occurs twice", at: start, in: bytes)
    }
}

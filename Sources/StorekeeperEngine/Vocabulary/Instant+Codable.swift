extension Instant: Codable {
    /// Encodes the text of ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Decodes a text that `encode(to:)` writes, or another text that ``init(_:)-(String)`` reads.
    ///
    /// - Throws: `DecodingError` for any other text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let instant = Instant(text) ?? Instant(farYear: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not an ISO 8601 time")
        }
        self = instant
    }

    /// Reads a time with a year that consists of a sign and six digits.
    private init?(farYear text: String) {
        let digits = text.dropFirst().prefix(6)
        guard let sign = text.first, sign == "+" || sign == "-", digits.count == 6, let number = Int64(digits) else {
            return nil
        }
        // The calendar repeats every 400 years, which are 146,097 days.
        let year = sign == "-" ? -number : number
        let periods = CivilDate.floor(year - 2000, by: 400)
        guard let near = Instant("\(year - periods * 400)\(text.dropFirst(7))") else { return nil }
        self.init(millisecondsSince1970: near.millisecondsSince1970 + periods * 146_097 * 86_400_000)
    }
}

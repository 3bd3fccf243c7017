import Storekeeper
import StorekeeperJWS

/// Contents of receipts, written byte by byte, so that they may have any form.
enum ReceiptSample {
    /// The attributes of a receipt, with Apple's numbers.
    enum Number: Int {
        case type = 0
        case bundleID = 2
        case opaqueValue = 4
        case deviceHash = 5
        case createdAt = 12
        case productID = 1702
        case transactionID = 1703
    }

    static let createdAt = Instant(clamped: 1_577_836_800_000)
    /// Validity periods of certificates: `before` ends before the receipt is made, and `after` begins after it is made.
    static let before = Instant(clamped: 0)...Instant(clamped: 1_577_836_799_000)
    static let after = Instant(clamped: 1_577_836_801_000)...Instant(clamped: 2_000_000_000_000)

    /// Returns the content of a receipt with one purchase.
    ///
    /// - Parameters:
    ///   - changes: Texts that replace the texts of attributes; `nil` omits the attribute.
    ///   - more: Attributes that are added at the end.
    ///   - purchase: Texts that replace the texts of the purchase's attributes; `nil` omits the attribute.
    ///   - odd: A value, as bytes, that replaces the value of an attribute of the purchase.
    static func content(
        _ changes: [Number: String?] = [:], more: [Number: String] = [:], purchase: [Number: String?] = [:],
        raw: [(Number, [UInt8])] = [], odd: (number: Int, value: [UInt8])? = nil
    ) -> [UInt8] {
        var attributes: [[UInt8]] = []
        let texts: [(Number, String)] = [
            (.type, "Production"), (.bundleID, "com.example.game"), (.createdAt, "2020-01-01T00:00:00Z"),
        ]
        for (number, text) in texts {
            if let text = changes[number] ?? text { attributes.append(attribute(number.rawValue, text)) }
        }
        let usual = [
            (1701, attribute(1701, value: [0x02, 0x01, 0x02])), (1704, attribute(1704, "2019-12-31T12:00:00Z")),
            (1705, attribute(1705, "1000")), (1706, attribute(1706, "")), (1708, attribute(1708, "")),
            (1712, attribute(1712, "")),
        ]
        var bought = usual.filter { $0.0 != odd?.number }.map(\.1)
        if let odd { bought.append(attribute(odd.number, value: odd.value)) }
        for (number, text) in [(Number.productID, "coins.100"), (.transactionID, "1000")] {
            if let text = purchase[number] ?? text { bought.append(attribute(number.rawValue, text)) }
        }
        attributes.append(attribute(17, value: DER.tagged(0x31, bought.flatMap { $0 })))
        // An attribute with an unknown number occurs twice.
        attributes += [attribute(9999, value: [1, 2, 3]), attribute(9999, value: [])]
        for (number, text) in more { attributes.append(attribute(number.rawValue, text)) }
        for (number, value) in raw { attributes.append(attribute(number.rawValue, value: value)) }
        return DER.tagged(0x31, attributes.flatMap { $0 })
    }

    static func attribute(_ number: Int, _ text: String) -> [UInt8] {
        attribute(number, value: DER.tagged(number == 12 || number > 1703 ? 0x16 : 0x0C, Array(text.utf8)))
    }

    static func attribute(_ number: Int, value: [UInt8]) -> [UInt8] {
        let digits: [UInt8] = number < 128 ? [UInt8(number)] : [UInt8(number >> 8), UInt8(number & 255)]
        return DER.sequence(DER.tagged(0x02, digits), DER.tagged(0x02, [1]), DER.tagged(0x04, value))
    }
}

package import FoundationEssentials
package import Storekeeper

extension BindingSubject {
    /// The bytes that identify the subject; different subjects have different bytes.
    package var bytes: [UInt8] {
        switch self {
        case .token(let token): return token.bytes
        case .chain(let chain):
            // The result cannot equal the 16 bytes of a token, because the lengths of the three texts alone take 24
            // bytes.
            var content = LinkContent()
            content.add(chain.bundleID)
            content.add(chain.environment.rawValue)
            content.add(chain.originalID.rawValue)
            return content.bytes
        }
    }
}

extension UUID {
    package var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        var value = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes) }
        self.init(uuid: value)
    }
}

extension StepID {
    package var bytes: [UInt8] {
        withUnsafeBytes(of: (halves.high.bigEndian, halves.low.bigEndian)) { [UInt8]($0) }
    }
}

extension [UInt8] {
    /// The bytes as hexadecimal text, with two digits for each byte.
    package var hexadecimal: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Parses two hexadecimal digits per byte; `nil` if the text is malformed.
    package init?(hexadecimal text: String) {
        let digits = Array<UInt8>(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        func value(_ digit: UInt8) -> UInt8? {
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x41...0x46: digit - 0x37
            case 0x61...0x66: digit - 0x57
            default: nil
            }
        }
        self = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            append(high << 4 | low)
        }
    }
}

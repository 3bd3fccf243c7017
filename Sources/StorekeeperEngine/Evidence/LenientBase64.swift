/// Decodes base64 that was changed on its way, such as in an e-mail or in an address.
///
/// Verified texts are decoded only by the strict decoders; this decoder recovers what somebody has pasted.
enum LenientBase64 {
    /// A deviation from base64 with the standard alphabet and padding.
    enum Deviation: String {
        case urlSafe = "URL-safe"
        case unpadded = "without padding"
        case spacesForPlus = "whose '+' became spaces"
        case percentEncoded = "percent-encoded"
    }

    /// A possible content of a text.
    struct Reading {
        var bytes: [UInt8]
        var deviations: [Deviation]
    }

    /// Returns the possible contents of a text, the most probable first; empty if the text is not base64.
    ///
    /// A space can be white space or a character `+` that was decoded as in an HTML form.
    static func readings(of text: some Collection<UInt8>) -> [Reading] {
        let (text, isPercentEncoded) = withoutPercentEncoding(text)
        let plain = text.filter { !$0.isBlank }
        var readings: [Reading] = []
        if let reading = decode(plain) { readings.append(reading) }
        if text.contains(space), let reading = decode(text.filter { !$0.isBlank || $0 == space }) {
            readings.append(reading)
        }
        return readings.map {
            Reading(bytes: $0.bytes, deviations: $0.deviations + (isPercentEncoded ? [.percentEncoded] : []))
        }
    }

    private static let space = UInt8(ascii: " ")

    /// Decodes a text in which only spaces may be left that replace a character `+`.
    private static func decode(_ text: [UInt8]) -> Reading? {
        var deviations: [Deviation] = []
        var padding = 0
        var translated = text[...]
        while translated.last == UInt8(ascii: "="), padding < 2 {
            translated.removeLast()
            padding += 1
        }
        guard !translated.isEmpty else { return nil }
        if !(translated.count + padding).isMultiple(of: 4) { deviations.append(.unpadded) }
        var urlSafe = false
        var spaces = false
        for position in translated.indices {
            switch translated[position] {
            case UInt8(ascii: "+"): translated[position] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): translated[position] = UInt8(ascii: "_")
            case UInt8(ascii: "-"), UInt8(ascii: "_"): urlSafe = true
            case space:
                translated[position] = UInt8(ascii: "-")
                spaces = true
            default: break
            }
        }
        if urlSafe { deviations.append(.urlSafe) }
        if spaces { deviations.append(.spacesForPlus) }
        return Base64URL.decode(translated).map { Reading(bytes: $0, deviations: deviations) }
    }

    /// Replaces `%2B`, `%2F` and `%3D` by the characters that they encode.
    private static func withoutPercentEncoding(_ text: some Collection<UInt8>) -> (text: [UInt8], isChanged: Bool) {
        let percent = UInt8(ascii: "%")
        guard text.contains(percent) else { return (Array(text), false) }
        var result: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            guard byte == percent else {
                result.append(byte)
                continue
            }
            switch String(decoding: rest.prefix(2), as: UTF8.self).uppercased() {
            case "2B": result.append(UInt8(ascii: "+"))
            case "2F": result.append(UInt8(ascii: "/"))
            case "3D": result.append(UInt8(ascii: "="))
            default: return (Array(text), false)
            }
            rest = rest.dropFirst(2)
        }
        return (result, true)
    }
}

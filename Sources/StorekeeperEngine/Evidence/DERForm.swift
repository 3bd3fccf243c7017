/// What an object in DER contains, as far as its first elements show.
///
/// - SeeAlso: ITU-T X.690; RFC 5652, section 5.1; RFC 5280, section 4.1; RFC 5958, section 2; RFC 5915, section 3.
enum DERForm {
    case signedData, certificate, privateKey, encryptedPrivateKey, ecPrivateKey, publicKey

    /// - Parameter bytes: The whole object; the initializer returns `nil` if the bytes are not one sequence, or a
    ///   sequence with other elements.
    init?(_ bytes: [UInt8]) {
        guard let outer = Element(bytes[...]), outer.tag == Element.sequence, outer.isWhole,
            let first = Element(outer.content)
        else { return nil }
        let second = Element(first.rest)
        switch first.tag {
        case Element.objectIdentifier where Array(first.content) == Self.signedDataIdentifier: self = .signedData
        case Element.integer where first.content.elementsEqual([1]) && second?.tag == Element.octetString:
            self = .ecPrivateKey
        case Element.integer where second?.tag == Element.sequence: self = .privateKey
        case Element.sequence:
            guard let inner = Element(first.content) else { return nil }
            if second?.tag == Element.octetString {
                self = .encryptedPrivateKey
            } else if second?.tag == Element.bitString {
                self = .publicKey
            } else if [Element.version, Element.integer].contains(inner.tag), second?.tag == Element.sequence {
                self = .certificate
            } else {
                return nil
            }
        default: return nil
        }
    }

    private static let signedDataIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    /// A tag, its content, and the bytes after the content.
    private struct Element {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
        /// The explicit tag of a certificate's version.
        static let version: UInt8 = 0xA0

        let tag: UInt8
        let content: ArraySlice<UInt8>
        let rest: ArraySlice<UInt8>

        /// Whether only line breaks follow the element.
        var isWhole: Bool { rest.allSatisfy { $0 == 0x0A || $0 == 0x0D } }

        init?(_ bytes: ArraySlice<UInt8>) {
            var rest = bytes
            guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
            var length = Int(first)
            if first == 0x80 {
                // Old receipts have an indefinite length, which ends with the bytes.
                self.tag = tag
                content = rest
                self.rest = []
                return
            }
            if first > 0x80 {
                let count = Int(first & 0x7F)
                guard count <= 4, rest.count >= count else { return nil }
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            guard rest.count >= length else { return nil }
            self.tag = tag
            content = rest.prefix(length)
            self.rest = rest.dropFirst(length)
        }
    }
}

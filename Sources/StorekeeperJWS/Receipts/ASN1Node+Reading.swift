import SwiftASN1

extension ASN1Node {
    /// Returns the values inside a constructed value with the given identifier; `nil` for any other value.
    func parts(_ identifier: ASN1Identifier) -> [ASN1Node]? {
        guard self.identifier == identifier, case .constructed(let nodes) = content else { return nil }
        return Array(nodes)
    }

    /// Returns the content of a primitive value with the given identifier; `nil` for any other value.
    func bytes(_ identifier: ASN1Identifier) -> ArraySlice<UInt8>? {
        guard self.identifier == identifier, case .primitive(let bytes) = content else { return nil }
        return bytes
    }

    /// The bytes of an octet string, which BER may split into parts; `nil` for any other value.
    var octets: ArraySlice<UInt8>? { try? ASN1OctetString(berEncoded: self).bytes }

    /// The value of an object identifier; `nil` for any other value.
    var objectIdentifier: ASN1ObjectIdentifier? { try? ASN1ObjectIdentifier(derEncoded: self) }

    /// The value of an integer of at most eight bytes; `nil` for any other value.
    var integer: Int64? {
        guard let bytes = bytes(.integer), let first = bytes.first, bytes.count <= 8 else { return nil }
        let sign: Int64 = first >= 0x80 ? -1 : 0
        return bytes.reduce(sign) { $0 << 8 | Int64($1) }
    }
}

extension ASN1Identifier {
    /// Returns the context-specific identifier with a number, which identifies a part of a structure.
    static func numbered(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

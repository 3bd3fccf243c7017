import FoundationEssentials

extension LedgerEntry.Cause {
    /// Creates a cause from the columns of a database row; the columns that are not null determine the kind of the
    /// cause.
    ///
    /// - Returns: `nil` if the columns do not describe a cause.
    package init?(
        bundle: String?, environment: String?, transaction: String?, product: String?, target: Int64?, key: String?,
        reason: String?, feature: String?, revokedKey: String?
    ) {
        if let bundle, let environment, let transaction, let product, let target {
            self = .transaction(
                TransactionKey(
                    bundleID: bundle, environment: AppStore.Environment(rawValue: environment),
                    transactionID: Transaction.ID(transaction)),
                productID: Product.ID(product), target: target)
        } else if let key, let target {
            guard let until = Instant(millisecondsSince1970: target), let reason,
                let subject = product.map({ AccessGrant.Subject.product(Product.ID($0)) })
                    ?? feature.map({ .feature(Feature.ID($0)) })
            else { return nil }
            self = .access(subject, until: until, key: LedgerRequest.Key(key), reason: reason)
        } else if let revokedKey, let product, let feature {
            guard let subject = BindingSubject(columnText: revokedKey) else { return nil }
            self = .transfer(
                subject, from: CustomerID(rawValue: product), to: CustomerID(rawValue: feature), reason: reason ?? "")
        } else if let revokedKey {
            self = .revocation(key: LedgerRequest.Key(revokedKey), reason: reason ?? "")
        } else if let key {
            self = .request(key: LedgerRequest.Key(key), reason: reason)
        } else {
            return nil
        }
    }
}

// Databases store these numbers. They must not change after a release.
extension LedgerEntry.Kind {
    /// The number in the column `kind`.
    package var code: Int64 {
        switch self {
        case .credit: 0
        case .spend: 1
        case .clawBack: 2
        case .restore: 3
        case .grant: 4
        // The database indexes on entries about access and transfers contain exactly the entries with a code of 5 or
        // more.
        case .grantAccess: 5
        case .revokeAccess: 6
        case .transfer: 7
        }
    }

    package init?(code: Int64) {
        guard let kind = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = kind
    }
}

extension BindingSubject {
    /// The subject as text from which it can be read again.
    ///
    /// The lengths of two texts in bytes precede the texts of a chain, because an id may contain every character.
    package var columnText: String {
        switch self {
        case .token(let token): "t" + token.uuidString.lowercased()
        case .chain(let chain):
            "c\(chain.environment.rawValue.utf8.count),\(chain.originalID.rawValue.utf8.count);"
                + chain.environment.rawValue + chain.originalID.rawValue + chain.bundleID
        }
    }

    /// Reads the text of a subject; `nil` if the text is malformed.
    package init?(columnText text: String) {
        let bytes = Array(text.utf8)
        switch bytes.first {
        case UInt8(ascii: "t"):
            guard let token = UUID(uuidString: String(decoding: bytes.dropFirst(), as: UTF8.self)) else { return nil }
            self = .token(token)
        case UInt8(ascii: "c"):
            guard let end = bytes.firstIndex(of: UInt8(ascii: ";")) else { return nil }
            let lengths = bytes[1..<end].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { Int(String(decoding: $0, as: UTF8.self)) }
            let rest = bytes[(end + 1)...]
            guard lengths.count == 2, let environment = lengths[0], let original = lengths[1],
                environment >= 0, original >= 0, environment <= rest.count, original <= rest.count - environment
            else { return nil }
            let names = rest.dropFirst(environment)
            self = .chain(
                ChainID(
                    bundleID: String(decoding: names.dropFirst(original), as: UTF8.self),
                    environment: AppStore.Environment(
                        rawValue: String(decoding: rest.prefix(environment), as: UTF8.self)),
                    originalID: Transaction.ID(
                        rawValue: String(decoding: names.prefix(original), as: UTF8.self))))
        default: return nil
        }
    }
}

import FoundationEssentials

extension LedgerEntry.Cause {
    /// Writes the columns of the cause, from `bundle` to `reason`.
    func write(to row: RowBuffer) {
        switch self {
        case .transaction(let key, let productID, let target):
            row.text(key.bundleID)
            row.text(key.environment.rawValue)
            row.text(key.transactionID.rawValue)
            row.text(productID.rawValue)
            row.null()
            row.int(target)
            row.nulls(3)
        case .request(let key, let reason):
            row.nulls(6)
            row.text(key.rawValue)
            row.null()
            row.text(reason)
        case .access(let subject, let until, let key, let reason):
            row.nulls(3)
            switch subject {
            case .product(let id):
                row.text(id.rawValue)
                row.null()
            case .feature(let id):
                row.null()
                row.text(id.rawValue)
            }
            row.instant(until)
            row.text(key.rawValue)
            row.null()
            row.text(reason)
        case .revocation(let key, let reason):
            row.nulls(7)
            row.text(key.rawValue)
            row.text(reason)
        case .transfer(let subject, let from, let to, let reason):
            row.nulls(3)
            row.text(from.rawValue)
            row.text(to.rawValue)
            row.nulls(2)
            row.text(subject.columnText)
            row.text(reason)
        }
    }

    /// Reads the columns of a cause, from `bundle` to `reason`; the columns that have a value determine the kind of the
    /// cause.
    ///
    /// - Returns: `nil` if the columns do not describe a cause.
    init?(from row: inout RowReader) {
        let (bundle, environment, transaction) = (row.optionalText(), row.optionalText(), row.optionalText())
        let (product, feature, target) = (row.optionalText(), row.optionalText(), row.optionalInt())
        let (key, revokedKey, reason) = (row.optionalText(), row.optionalText(), row.optionalText())
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
    var code: Int64 {
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

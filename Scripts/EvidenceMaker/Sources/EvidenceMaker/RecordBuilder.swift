import Storekeeper

/// Makes records from a description, and fills in default values.
struct RecordBuilder {
    /// The app.
    let app: App
    /// The default signing time.
    let signedAt: Instant
    /// The members that all records of the customer share.
    let customer: [String: DescriptionNode]

    /// Makes a transaction.
    ///
    /// In addition to App Store members it may contain `follows`, the previous transaction of its chain, or `copyOf`, a
    /// transaction of which it is another copy.
    func transaction(_ name: String, _ node: DescriptionNode, among known: [Record]) throws -> Record {
        let members = try node.members(among: Set(Member.ofTransactions.keys).union(["follows", "copyOf"]))
        var payload = Payload()
        if let original = members["copyOf"] {
            payload = try Self.transaction(original, among: known).payload
            payload.forget("signedDate")
        }
        try set(members, in: &payload, Member.ofTransactions)
        if members["copyOf"] == nil {
            let previous = try members["follows"].map { try Self.transaction($0, among: known).payload }
            try fillIn(&payload, following: previous, node)
        }
        payload.setDefault("signedDate", .integer(signedAt.millisecondsSince1970))
        return Record(name: name, kind: .transaction, payload: payload)
    }

    private func fillIn(_ payload: inout Payload, following previous: Payload?, _ node: DescriptionNode) throws {
        guard let id = payload.text("transactionId") else { throw node.error("transactionId is missing") }
        if let previous {
            payload.setDefault(
                "transactionReason", .string(payload.instant("purchaseDate") == nil ? "RENEWAL" : "PURCHASE"))
            for name in ["originalTransactionId", "originalPurchaseDate", "productId", "inAppOwnershipType"] {
                previous.members[name].map { payload.setDefault(name, $0) }
            }
            previous.members["expiresDate"].map { payload.setDefault("purchaseDate", $0) }
        }
        guard let purchasedAt = payload.instant("purchaseDate") else { throw node.error("purchaseDate is missing") }
        guard let productID = payload.text("productId") else { throw node.error("productId is missing") }
        guard let product = app.catalog.product(productID), let type = product.type else {
            throw node.error("no catalog of the app describes \(productID)")
        }
        payload.setDefault("originalTransactionId", .string(id))
        payload.setDefault("originalPurchaseDate", .integer(purchasedAt.millisecondsSince1970))
        payload.setDefault("transactionReason", .string("PURCHASE"))
        payload.setDefault("bundleId", .string(app.bundleID))
        payload.setDefault("type", .string(type.rawValue))
        payload.setDefault("quantity", .integer(1))
        payload.setDefault("inAppOwnershipType", .string("PURCHASED"))
        payload.setDefault("environment", .string("Production"))
        payload.setDefault("storefront", .string(app.storefront.country))
        payload.setDefault("storefrontId", .string(app.storefront.id))
        if let subscription = product.subscription {
            payload.setDefault("subscriptionGroupIdentifier", .text(subscription.subscriptionGroupID))
            payload.setDefault("webOrderLineItemId", .string("5" + id.suffix(12)))
            if let end = subscription.subscriptionPeriod?.end(from: purchasedAt) {
                payload.setDefault("expiresDate", .integer(end.millisecondsSince1970))
            }
        }
        try set(customer, in: &payload, Member.ofCustomers)
        if payload.text("inAppOwnershipType") == "FAMILY_SHARED" {
            // A family-shared transaction contains neither the price nor the buyer's account.
            for name in ["price", "currency", "appAccountToken"] { payload.forget(name) }
        } else if let price = app.price(of: product) {
            payload.setDefault("price", .integer(price.milliunits * (payload.number("quantity") ?? 1)))
            payload.setDefault("currency", .string(price.currency))
        }
    }

    /// Makes a renewal info; in addition to App Store members it contains `for`, its transaction.
    func renewalInfo(_ name: String, _ node: DescriptionNode, among known: [Record]) throws -> Record {
        let members = try node.members(among: Set(Member.ofRenewalInfos.keys).union(["for"]))
        guard let subject = members["for"] else { throw node.error("for is missing: name a transaction") }
        let transaction = try Self.transaction(subject, among: known).payload
        var payload = Payload()
        try set(members, in: &payload, Member.ofRenewalInfos)
        for (name, source) in [
            ("originalTransactionId", "originalTransactionId"), ("productId", "productId"),
            ("autoRenewProductId", "productId"), ("renewalDate", "expiresDate"), ("environment", "environment"),
            ("recentSubscriptionStartDate", "originalPurchaseDate"), ("appTransactionId", "appTransactionId"),
            ("appAccountToken", "appAccountToken"),
        ] {
            transaction.members[source].map { payload.setDefault(name, $0) }
        }
        payload.setDefault("autoRenewStatus", .integer(1))
        if payload.number("autoRenewStatus") == 1, transaction.members["price"] != nil,
            let next = payload.text("autoRenewProductId").flatMap(app.catalog.product),
            let price = app.price(of: next)
        {
            payload.setDefault("renewalPrice", .integer(price.milliunits))
            payload.setDefault("currency", .string(price.currency))
        }
        payload.setDefault("signedDate", .integer(signedAt.millisecondsSince1970))
        return Record(name: name, kind: .renewalInfo, payload: payload)
    }

    /// Makes an app transaction.
    func appTransaction(_ name: String, _ node: DescriptionNode) throws -> Record {
        let members = try node.members(among: Set(Member.ofAppTransactions.keys))
        var payload = Payload()
        try set(members, in: &payload, Member.ofAppTransactions)
        payload.setDefault("bundleId", .string(app.bundleID))
        payload.setDefault("appAppleId", .integer(app.appAppleID))
        payload.setDefault("receiptType", .string("Production"))
        payload.setDefault("receiptCreationDate", .integer(signedAt.millisecondsSince1970))
        if let id = customer["appTransactionId"] { try payload.set("appTransactionId", to: id, .text) }
        return Record(name: name, kind: .appTransaction, payload: payload)
    }

    private func set(
        _ members: [String: DescriptionNode], in payload: inout Payload, _ kinds: [String: Member.Kind]
    ) throws {
        for (name, value) in members {
            if let kind = kinds[name] { try payload.set(name, to: value, kind) }
        }
    }

    private static func transaction(_ name: DescriptionNode, among known: [Record]) throws -> Record {
        let text = try name.text()
        guard let record = known.first(where: { $0.name == text }), record.kind == .transaction else {
            throw name.error("no transaction above is named \(text)")
        }
        return record
    }
}

import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// Tests of receipts of the original StoreKit, in all their forms.
struct ReceiptTests {
    private let bench: ReceiptForgeryTests.Bench
    private let verifier: ReceiptVerifier

    init() throws {
        bench = try ReceiptForgeryTests.Bench.shared.get()
        verifier = ReceiptVerifier(.init(roots: [bench.authority.root], bundleID: "com.example.game"))
    }

    private static let purchases = [
        AppReceipt.Purchase(
            productID: "gold.monthly", transactionID: "70", originalTransactionID: "70",
            purchasedAt: Instant(clamped: 1_570_000_000_000),
            originallyPurchasedAt: Instant(clamped: 1_570_000_000_000),
            expiresAt: Instant(clamped: 1_572_592_000_000), webOrderLineItemID: "9", isInIntroductoryPeriod: true),
        AppReceipt.Purchase(
            productID: "gold.monthly", transactionID: "71", originalTransactionID: "70",
            purchasedAt: Instant(clamped: 1_572_592_000_000),
            originallyPurchasedAt: Instant(clamped: 1_570_000_000_000),
            expiresAt: Instant(clamped: 1_575_184_000_000), cancelledAt: Instant(clamped: 1_573_000_000_000),
            isInTrialPeriod: false, promotionalOfferID: "loyal", productType: .autoRenewable),
        AppReceipt.Purchase(productID: "coins.100", transactionID: "5", quantity: 3),
    ]

    private static func receipt(type: String = "Production") -> AppReceipt {
        AppReceipt(
            type: type, bundleID: "com.example.game", appVersion: "7", originalAppVersion: "1.0",
            createdAt: ReceiptSample.createdAt, originallyPurchasedAt: Instant(clamped: 1_560_000_000_000),
            purchases: purchases)
    }

    @Test("What our authority signs is read back, with SHA-1 and SHA-256, with and without signed attributes")
    func roundTrip() throws {
        let receipt = Self.receipt()
        let signed = try bench.signer.sign(receipt)
        let checked = verifier.verify(signed)
        #expect(checked.error == nil && checked.form == .app)
        #expect(checked.receipt == receipt)
        #expect(checked.receipt?.environment == .production)
        #expect(checked.transactionIDs == ["71", "70", "5"])
        for (digest, hasAttributes, isNested) in [
            (ReceiptSigner.Form.Digest.sha1, false, false), (.sha1, true, false), (.sha256, true, false),
            (.sha256, false, true), (.sha1, true, true),
        ] {
            var form = ReceiptSigner.Form()
            (form.digest, form.hasSignedAttributes, form.isNested) = (digest, hasAttributes, isNested)
            let other = verifier.verify(try bench.signer.sign(content: bench.content, form: form))
            #expect(other.error == nil && other.transactionIDs == ["1000"])
            #expect(other.receipt?.purchases.first?.quantity == 2)
        }
        // The order of the certificates does not matter, and the root may be missing.
        let certificates = bench.signer.certificates
        for order in [[2, 1, 0], [1, 0], [0, 1, 1]] {
            let other = try bench.sign { $0.certificates = order.map { certificates[$0] } }
            #expect(verifier.verify(other).error == nil)
        }
    }

    @Test("Base64 is read with and without line breaks, and so are responses of verifyReceipt that contain it")
    func texts() throws {
        let signed = Data(try bench.signer.sign(Self.receipt()))
        let base64 = signed.base64EncodedString()
        let lines = signed.base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn])
        for text in [base64, "  \(lines)\r\n\n", "\"\(base64)\"\n"] {
            let checked = verifier.verify(Array(text.utf8))
            #expect(checked.error == nil && checked.form == .app && checked.receipt == Self.receipt())
        }
        for text in [
            #"{"receipt-data":"\#(base64)","password":"secret"}"#,
            #"{"status":0,"environment":"Sandbox","latest_receipt":"\#(base64)","receipt":{"in_app":[]}}"#,
            #"{"receipt-data":"\#(base64.prefix(64))\r\n\#(base64.dropFirst(64))"}"#,
        ] {
            let checked = verifier.verify(Array(text.utf8))
            #expect(checked.error == nil && checked.form == .answer && checked.receipt == Self.receipt())
        }
    }

    @Test("A response without a receipt names its transactions, without being verified")
    func answers() {
        let text = #"""
            {"status": 0, "environment": "Sandbox", "receipt": {"receipt_type": "ProductionSandbox",
             "bundle_id": "com.example.game", "receipt_creation_date_ms": "1577836800000",
             "in_app": [{"quantity": "2", "product_id": "coins.100", "transaction_id": "1", "purchase_date_ms": "1000",
                         "original_transaction_id": "1", "is_trial_period": "false"}]},
             "latest_receipt_info": [{"quantity": "1", "product_id": "gold.monthly", "transaction_id": "3",
               "original_transaction_id": "2", "purchase_date_ms": "3000", "expires_date_ms": "4000",
               "web_order_line_item_id": "9", "is_in_intro_offer_period": "true", "is_upgraded": "true"},
              {"product_id": "coins.100", "transaction_id": "1"}, {"product_id": "no transaction"}]}
            """#
        let checked = verifier.verify(Array(text.utf8))
        #expect(checked.form == .answer && checked.error?.code == .unsignedEvidence)
        #expect(checked.transactionIDs == ["3", "1"])
        #expect(checked.receipt?.environment == .sandbox)
        let gold = checked.receipt?.purchases.first
        #expect(gold?.expiresAt == Instant(clamped: 4000) && gold?.isInIntroductoryPeriod == true)
        #expect(gold?.isUpgraded == true)
        let old = #"{"status":0,"receipt":{"bid":"com.example.game","product_id":"a","transaction_id":"8"}}"#
        #expect(verifier.verify(Array(old.utf8)).transactionIDs == ["8"])
        for status in [21_007, 21_002] {
            let checked = verifier.verify(Array(#"{"status":\#(status)}"#.utf8))
            #expect(checked.receipt == nil && checked.error?.code == .malformed)
            #expect(checked.error?.message.contains("\(status)") == true)
        }
    }

    @Test("A response whose receipt is cut off still names its transactions")
    func cutAnswer() throws {
        let cut = Data(try bench.signer.sign(Self.receipt())).base64EncodedString().prefix(400)
        let text = #"""
            {"status": 0, "latest_receipt": "\#(cut)",
             "latest_receipt_info": [{"product_id": "gold.monthly", "transaction_id": "3"}]}
            """#
        let checked = verifier.verify(Array(text.utf8))
        #expect(checked.error?.code == .malformed && checked.transactionIDs == ["3"])
    }

    @Test(
        "A value that does not affect access counts as absent if it cannot be read, one that does is refused",
        arguments: [
            (1701, [0x02, 0x01, 0x00], true), (1701, [0x0C, 0x01, 0x41], true), (1711, [0x0C, 0x00], true),
            (1719, [0x05, 0x00], true), (1706, [0x02, 0x01, 0x01], true), (1704, [0x02, 0x01, 0x01], false),
            (1708, [0x02, 0x01, 0x01], false), (1712, [0x16, 0x01, 0x41], false), (1705, [0x02, 0x01, 0x01], false),
        ] as [(Int, [UInt8], Bool)])
    func oddValues(number: Int, value: [UInt8], isRead: Bool) throws {
        let checked = verifier.verify(try bench.sign(ReceiptSample.content(odd: (number, value))))
        #expect((checked.error == nil) == isRead, "\(String(describing: checked.error))")
        #expect(checked.transactionIDs == (isRead ? ["1000"] : []))
        if isRead, number == 1701 { #expect(checked.receipt?.purchases.first?.quantity == 1) }
    }

    @Test("A transaction receipt names its transaction, without being verified")
    func transactionReceipts() {
        func text(_ info: String, more: String = "") -> String {
            """
            {
            \t"signature" = "AoBm";
            \t"purchase-info" = "\(Data(info.utf8).base64EncodedString())";
            \t"environment" = "Sandbox";\(more)
            }
            """
        }
        let info = """
            {
            "original-transaction-id" = "60";
            "bid" = "com.example.game";
            "product-id" = "gold.monthly";
            "transaction-id" = "61";
            "purchase-date-ms" = "1300000000000";
            "quantity" = "1";
            }
            """
        for bytes in [Array(text(info).utf8), Array(Data(text(info).utf8).base64EncodedString().utf8)] {
            let checked = verifier.verify(bytes)
            #expect(checked.form == .transaction && checked.error?.code == .unsupportedAlgorithm)
            #expect(checked.transactionIDs == ["61"] && checked.receipt?.environment == .sandbox)
            #expect(checked.receipt?.purchases.first?.originalTransactionID == "60")
            #expect(checked.receipt?.purchases.first?.purchasedAt == Instant(clamped: 1_300_000_000_000))
        }
        for damaged in [text("{}"), text("{ \"transaction-id\" = \"6\" }"), String(text(info).dropLast(3))] {
            #expect(verifier.verify(Array(damaged.utf8)).error?.code == .malformed)
        }
    }

    @Test(
        "Anything else is malformed", arguments: ["", " \n", "receipt", "MII", "{", "{}", "[]", "null", "AAAA", "e30="])
    func malformed(text: String) {
        let checked = verifier.verify(Array(text.utf8))
        #expect(checked.error?.code == .malformed && checked.receipt == nil && checked.transactionIDs.isEmpty)
    }

    @Test(
        "Each type is of one environment",
        arguments: [
            ("Production", AppStore.Environment.production), ("ProductionVPP", .production),
            ("ProductionSandbox", .sandbox), ("ProductionVPPSandbox", .sandbox), ("Xcode", .xcode),
        ])
    func environments(type: String, environment: AppStore.Environment) throws {
        let signed = try bench.signer.sign(Self.receipt(type: type))
        for accepted in [AppStore.Environment.production, .sandbox, .xcode] {
            let verifier = ReceiptVerifier(
                .init(roots: [bench.authority.root], bundleID: nil, environments: [accepted]))
            #expect(
                verifier.verify(signed).error?.code == (accepted == environment ? nil : .environmentRefused))
        }
    }

    @Test("A receipt is for the device whose identifier it was made with")
    func device() throws {
        let (device, other): ([UInt8], [UInt8]) = (Array(0..<16), [0x00, 0x11, 0x22, 0x33, 0x44, 0x55])
        let opaque: [UInt8] = [9, 8, 7, 6]
        let bundle = DER.tagged(0x0C, Array("com.example.game".utf8))
        for id in [device, other] {
            let hash = DeviceVerification.receiptDigest(device: id, opaque: opaque, bundle: bundle)
            #expect(hash.count == 20)
            let signed = try bench.sign(ReceiptSample.content(raw: [(.opaqueValue, opaque), (.deviceHash, hash)]))
            #expect(verifier.verify(signed).error == nil)
            #expect(verifier.verify(signed, device: id).error == nil)
            #expect(verifier.verify(signed, device: id.reversed()).error?.code == .deviceMismatch)
        }
        #expect(try verifier.verify(bench.sign(), device: device).error?.code == .deviceMismatch)
    }

    @Test("Xcode's receipts count under the named certificate of their signer, for Xcode only")
    func xcode() throws {
        // Xcode's certificate for receipts is self-signed. This test uses the leaf in its place.
        let named = try TrustedRoot(der: bench.signer.certificates[0])
        func code(_ type: String, _ environments: Set<AppStore.Environment>) throws -> VerificationError.Code? {
            let content = ReceiptSample.content([.type: type])
            let verifier = ReceiptVerifier(.init(roots: [named], bundleID: nil, environments: environments))
            return verifier.verify(try bench.sign(content) { $0.certificates = [named.der] }).error?.code
        }
        #expect(try code("Xcode", [.xcode]) == nil)
        #expect(try code("ProductionSandbox", [.xcode, .sandbox]) == .environmentRefused)
        #expect(try code("Xcode", [.xcode, .production]) == .untrustedChain)
        #expect(try code("Xcode", [.sandbox]) == .untrustedChain)
    }

    /// Returns the transactions of a receipt by id, and expects that all of them are verified, or none if `isVerified`
    /// is false.
    private func transactions(
        of receipt: AppReceipt, catalog: Catalog = .empty, isVerified: Bool = true
    ) throws -> [Transaction.ID: Storekeeper.Transaction] {
        let signed = try isVerified ? bench.signer.sign(receipt) : bench.other.makeReceiptSigner().sign(receipt)
        var found: [Transaction.ID: Storekeeper.Transaction] = [:]
        for item in verifier.verify(signed).evidence(catalog: catalog) {
            guard case .transaction(let result) = item else { continue }
            #expect((item.error == nil) == isVerified && result.jwsRepresentation == nil)
            found[result.unsafePayloadValue.id] = result.unsafePayloadValue
        }
        return found
    }

    @Test("Purchases become transactions as of the receipt's date")
    func evidence() throws {
        let found = try transactions(of: Self.receipt())
        #expect(
            found.count == 3 && found.values.allSatisfy { $0.isFromReceipt && $0.signedAt == ReceiptSample.createdAt })
        #expect(found.values.allSatisfy { $0.appBundleID == "com.example.game" && $0.environment == .production })
        let (first, second) = (try #require(found["70"]), try #require(found["71"]))
        #expect(first.productType == .autoRenewable && first.webOrderLineItemID == "9")
        #expect(first.expiresAt == Instant(clamped: 1_572_592_000_000) && first.offer?.type == .introductory)
        #expect(first.offer?.paymentMode == nil && first.unknownValues.isEmpty)
        #expect(second.originalID == "70" && second.revokedAt == Instant(clamped: 1_573_000_000_000))
        #expect(!second.isUpgraded && second.originallyPurchasedAt == first.purchasedAt)
        // A purchase without a date counts as bought at the time at which the receipt was made.
        let coins = try #require(found["5"])
        #expect(coins.originalID == "5" && coins.purchasedQuantity == 3)
        #expect(coins.purchasedAt == ReceiptSample.createdAt && coins.productType == .unstated)
    }

    @Test("A response from before iOS 7 keeps its expiry and says whether the subscription renews")
    func oldAnswers() throws {
        let text = #"""
            {"auto_renew_status":1,"auto_renew_product_id":"gold.yearly","expiration_intent":"2",
             "is_in_billing_retry_period":"0","status":0,"latest_receipt":"ewoJInNpZ25hdHVyZSIgPSAiIjsKfQ==",
             "latest_receipt_info":{"original_purchase_date_ms":"1371157200000","transaction_id":"2",
              "original_transaction_id":"1","product_id":"gold.monthly","bid":"com.example.game",
              "expires_date":"1376427600000","expires_date_formatted":"2013-08-13 21:00:00 Etc/GMT",
              "purchase_date":"2013-07-13 21:00:00 Etc/GMT"},
             "receipt":{"expires_date":"1373749200000","original_transaction_id":"1","transaction_id":"1",
              "product_id":"gold.monthly","bid":"com.example.game","purchase_date_ms":"1371157200000"}}
            """#
        let checked = verifier.verify(Array(text.utf8))
        #expect(checked.form == .answer && checked.receipt?.environment == nil)
        let purchases = checked.receipt?.purchases ?? []
        #expect(purchases.map(\.transactionID) == ["2", "1"])
        #expect(purchases.map(\.expiresAt) == [Instant("2013-08-13T21:00:00Z"), Instant("2013-07-13T21:00:00Z")])
        #expect(purchases.map(\.purchasedAt) == [Instant("2013-07-13T21:00:00Z"), Instant("2013-06-13T21:00:00Z")])
        let renewal = try #require(checked.renewals.first)
        #expect(checked.renewals.count == 1)
        #expect(renewal.originalTransactionID == "1" && renewal.productID == "gold.monthly")
        #expect(renewal.autoRenewProductID == "gold.yearly" && renewal.willAutoRenew == true)
        #expect(renewal.expirationIntent == 2 && renewal.isInBillingRetry == false)
        let transactions = checked.evidence().compactMap { evidence in
            if case .transaction(let result) = evidence { result.unsafePayloadValue } else { nil }
        }
        #expect(transactions.map(\.productType) == [.autoRenewable, .autoRenewable])
        #expect(transactions.map(\.expiresAt) == purchases.map(\.expiresAt))
    }

    @Test("A status of verifyReceipt is explained", arguments: [(21_007, "sandbox"), (21_004, "shared secret")])
    func statuses(status: Int, word: String) {
        let checked = verifier.verify(Array(#"{"status":\#(status)}"#.utf8))
        #expect(checked.error?.message.contains(word) == true)
    }

    @Test("The type of a product is that of the catalog, then that of the receipt")
    func types() throws {
        func type(_ stated: Product.ProductType?, expires: Bool = false, in catalog: Catalog = .empty) throws
            -> Product.ProductType?
        {
            let receipt = AppReceipt(
                type: "Production", bundleID: "com.example.game", createdAt: ReceiptSample.createdAt,
                purchases: [
                    .init(
                        productID: "a", transactionID: "1", purchasedAt: ReceiptSample.createdAt,
                        expiresAt: expires ? ReceiptSample.createdAt.adding(days: 1) : nil, productType: stated)
                ])
            return try transactions(of: receipt, catalog: catalog)["1"]?.productType
        }
        let catalog = Catalog(products: [Product(id: "a", type: .consumable)], groups: [], features: [])
        #expect(try type(nil) == .unstated)
        for stated in [Product.ProductType.consumable, .nonConsumable, .nonRenewable, .autoRenewable] {
            #expect(try type(stated) == stated)
            #expect(try type(stated, in: catalog) == .consumable)
            #expect(try type(stated, expires: true, in: catalog) == .autoRenewable)
        }
        #expect(try type(nil, in: Catalog(products: [Product(id: "a")], groups: [], features: [])) == .unstated)
        #expect(
            try type(nil, in: Catalog(products: [Product(id: "b", type: .consumable)], groups: [], features: []))
                == .unstated)
    }

    @Test("A purchase was upgraded, not refunded, if another product of its line was bought then, to the minute")
    func upgrades() throws {
        func second(
            _ product: Product.ID, original: Transaction.ID?, after seconds: Int
        ) throws -> Storekeeper.Transaction? {
            let (bought, ended) = (Instant(clamped: 1_570_000_000_000), Instant(clamped: 1_571_000_000_000))
            let receipt = AppReceipt(
                type: "Production", bundleID: "com.example.game", createdAt: ReceiptSample.createdAt,
                purchases: [
                    .init(
                        productID: "silver", transactionID: "1", originalTransactionID: "1", purchasedAt: bought,
                        expiresAt: bought.adding(days: 30), cancelledAt: ended),
                    .init(
                        productID: product, transactionID: "2", originalTransactionID: original,
                        purchasedAt: ended.adding(milliseconds: Int64(seconds) * 1000),
                        expiresAt: ended.adding(days: 30)),
                ])
            return try transactions(of: receipt)["1"]
        }
        for seconds in [-50, 0, 50] {
            let upgraded = try second("gold", original: "1", after: seconds)
            #expect(upgraded?.isUpgraded == true && upgraded?.revokedAt == nil)
        }
        for (product, original, seconds) in [
            ("silver", "1", 0), ("gold", "2", 0), ("gold", nil, 0), ("gold", "1", 300),
        ]
            as [(Product.ID, Transaction.ID?, Int)]
        {
            let refunded = try second(product, original: original, after: seconds)
            #expect(refunded?.isUpgraded == false && refunded?.revokedAt != nil)
        }
    }

    @Test("The purchases of a refused receipt count for nothing, even if the caller calls them verified")
    func unproven() throws {
        var (proven, claimed, refused) = (PurchaseHistory(), PurchaseHistory(), PurchaseHistory())
        for transaction in try transactions(of: Self.receipt()).values { proven.merge(.verified(transaction)) }
        for transaction in try transactions(of: Self.receipt(), isVerified: false).values {
            claimed.merge(.verified(transaction))
        }
        #expect(proven.isVerified && proven.count == 3)
        #expect(!claimed.isVerified)
        let signed = try bench.other.makeReceiptSigner().sign(Self.receipt())
        for item in verifier.verify(signed).evidence() {
            refused.merge(item)
            #expect(VerifiedFact(item) == nil)
        }
        #expect(refused.count == 0 && refused.doubtfulProductIDs == ["gold.monthly", "coins.100"])
        // A transaction from a receipt has no signature of its own, so no vault stores it.
        #expect(
            try verifier.verify(bench.signer.sign(Self.receipt())).evidence().allSatisfy { VerifiedFact($0) == nil })
        let unreadable = verifier.verify(Array("receipt".utf8)).evidence()
        #expect(unreadable.count == 1 && unreadable.first?.error?.code == .malformed)
    }

    /// Makes certificates of the App Store's shape and signs a content with OpenSSL.
    private static let script = """
        set -e
        new() { # name, subject, issuer, extensions
          openssl req -new -newkey rsa:2048 -nodes -sha256 -subj "/CN=$2" -keyout $1.key -out $1.csr 2>/dev/null
          printf '%b' "$4" >$1.ext
          if [ "$3" = self ]; then sign="-signkey root.key"; else sign="-CA $3.pem -CAkey $3.key -CAcreateserial"; fi
          openssl x509 -req -sha1 -days 9000 -in $1.csr $sign -extfile $1.ext -out $1.pem 2>/dev/null
        }
        ca='basicConstraints=critical,CA:TRUE\\nkeyUsage=critical,keyCertSign,cRLSign\\n'
        new root Root self "$ca"
        new middle Middle root "${ca}1.2.840.113635.100.6.2.1=DER:0500\\n"
        leaf='basicConstraints=critical,CA:FALSE\\nkeyUsage=critical,digitalSignature\\n'
        new leaf Leaf middle "${leaf}1.2.840.113635.100.6.11.1=DER:0500\\n"
        cat middle.pem root.pem >others.pem
        sign() { openssl cms -sign -binary -nodetach -outform DER -in content -signer leaf.pem -inkey leaf.key \\
          -certfile others.pem "$@"; }
        sign -md sha1 -noattr -out sha1.der
        sign -md sha256 -noattr -out sha256.der
        sign -md sha256 -out attributes.der
        sign -md sha256 -noattr -stream -out stream.der
        sign -md sha256 -stream -out stream-attributes.der
        """

    @Test("Receipts that OpenSSL signs are verified, and OpenSSL verifies ours")
    func openSSL() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "receipts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The receipt's date is a minute after now, because the certificates are valid only from now on.
        let now = Instant(Date()).adding(milliseconds: 60_000).description
        let content = ReceiptSample.content([.createdAt: now])
        try Data(content).write(to: folder.appending(path: "content"))
        try Data(bench.signer.sign(content: content)).write(to: folder.appending(path: "ours.der"))
        try Data(bench.authority.root.pem.utf8).write(to: folder.appending(path: "ours.pem"))
        func run(_ script: String) throws -> Int32 {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-c", script]
            process.currentDirectoryURL = folder
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }
        try #require(try run(Self.script) == 0)
        let root = try TrustedRoot(derOrPEM: Array(Data(contentsOf: folder.appending(path: "root.pem"))))
        let theirs = ReceiptVerifier(.init(roots: [root], bundleID: "com.example.game"))
        for name in ["sha1.der", "sha256.der", "attributes.der", "stream.der", "stream-attributes.der"] {
            let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
            // The streamed files use the indefinite lengths of BER, as receipts of Xcode do.
            #expect(bytes.starts(with: [0x30, 0x80]) == name.hasPrefix("stream"), "\(name)")
            let checked = theirs.verify(bytes)
            #expect(checked.error == nil, "\(name): \(checked.error?.message ?? "")")
            #expect(checked.transactionIDs == ["1000"])
            #expect(verifier.verify(bytes).error?.code == .untrustedChain)
        }
        let verified = try run(
            "openssl cms -verify -binary -inform DER -in ours.der -CAfile ours.pem -purpose any -out content.ours "
                + "&& cmp content content.ours")
        #expect(verified == 0)
    }
}

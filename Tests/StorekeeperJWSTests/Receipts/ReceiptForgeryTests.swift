import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// Tests that a receipt that differs from the App Store's receipts in its form or signature is refused with the right
/// reason.
struct ReceiptForgeryTests {
    /// The means of a forger: a genuine receipt, its signer, and authorities that the forger creates.
    struct Bench {
        let authority: LocalAuthority
        let signer: ReceiptSigner
        let other: LocalAuthority

        /// The instance for all tests, which is shared because creating keys is slow.
        static let shared = Result {
            let authority = try LocalAuthority()
            return Bench(
                authority: authority, signer: try authority.makeReceiptSigner(), other: try LocalAuthority())
        }

        let content: [UInt8]

        init(authority: LocalAuthority, signer: ReceiptSigner, other: LocalAuthority) {
            (self.authority, self.signer, self.other) = (authority, signer, other)
            content = ReceiptSample.content()
        }

        func sign(
            _ content: [UInt8]? = nil, _ change: (inout ReceiptSigner.Form) -> Void = { _ in }
        ) throws -> [UInt8] {
            var form = ReceiptSigner.Form()
            change(&form)
            return try signer.sign(content: content ?? self.content, form: form)
        }

        /// Signs under certificates of another shape.
        func sign(shape change: (inout LocalAuthority.Shape) -> Void) throws -> (receipt: [UInt8], root: TrustedRoot) {
            var shape = LocalAuthority.Shape()
            change(&shape)
            let authority = try LocalAuthority(shape: shape)
            return (try signer.certified(by: authority).sign(content: content), authority.root)
        }

        /// Returns the receipt after replacing a sequence of bytes, which must occur once in it.
        func replacing(_ part: [UInt8], with other: [UInt8], in receipt: [UInt8]) throws -> [UInt8] {
            let places = receipt.indices.filter { receipt[$0...].starts(with: part) }
            try #require(places.count == 1 && part.count == other.count)
            var changed = receipt
            changed.replaceSubrange(places[0]..<places[0] + part.count, with: other)
            return changed
        }
    }

    struct Forgery: Sendable, CustomTestStringConvertible {
        let name: String
        let code: VerificationError.Code
        let make: @Sendable (Bench) throws -> [UInt8]

        var testDescription: String { name }
    }

    private static let rsa: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]

    /// Receipts that are signed under the trusted authority, or claim to be.
    static let forgeries: [Forgery] = {
        var forgeries: [Forgery] = []
        func add(
            _ name: String, _ code: VerificationError.Code, _ make: @escaping @Sendable (Bench) throws -> [UInt8]
        ) { forgeries.append(Forgery(name: name, code: code, make: make)) }
        add("no certificates", .untrustedChain) { try $0.sign { $0.certificates = [] } }
        add("the leaf alone", .untrustedChain) { bench in
            try bench.sign { $0.certificates = [bench.signer.certificates[0]] }
        }
        add("no leaf", .untrustedChain) { bench in
            try bench.sign { $0.certificates = Array(bench.signer.certificates.dropFirst()) }
        }
        add("the leaf and the root", .untrustedChain) { bench in
            try bench.sign { $0.certificates = [bench.signer.certificates[0], bench.signer.certificates[2]] }
        }
        add("another authority of that name", .untrustedChain) { bench in
            try bench.signer.certified(by: bench.other).sign(content: bench.content)
        }
        add("another authority's leaf, the trusted intermediate", .untrustedChain) { bench in
            let other = try bench.signer.certified(by: bench.other)
            let certificates = bench.signer.certificates
            var form = ReceiptSigner.Form()
            form.certificates = [other.certificates[0], certificates[1], certificates[2]]
            return try other.sign(content: bench.content, form: form)
        }
        add("another authority's intermediate, the trusted root", .untrustedChain) { bench in
            let other = try bench.signer.certified(by: bench.other)
            var form = ReceiptSigner.Form()
            form.certificates = [other.certificates[0], other.certificates[1], bench.signer.certificates[2]]
            return try other.sign(content: bench.content, form: form)
        }
        add("the intermediate named as the signer", .untrustedChain) { bench in
            try bench.sign { $0.signerName = bench.signer.certificates[1] }
        }
        add("the root named as the signer", .untrustedChain) { bench in
            try bench.sign { $0.signerName = bench.signer.certificates[2] }
        }
        add("bytes that are not certificates", .untrustedChain) { try $0.sign { $0.certificates = [[0x30, 0x00]] } }
        add("the certificate of newer evidence", .invalidSignature) { bench in
            let certificates = try bench.authority.makeSigner().certificates
            return try bench.sign {
                $0.certificates = certificates
                $0.signerName = certificates[0]
            }
        }
        add("another key", .invalidSignature) { bench in
            let other = try bench.authority.makeReceiptSigner()
            var form = ReceiptSigner.Form()
            form.certificates = bench.signer.certificates
            form.signerName = bench.signer.certificates[0]
            return try other.sign(content: bench.content, form: form)
        }
        add("another product", .invalidSignature) { bench in
            try bench.replacing(Array("coins.100".utf8), with: Array("coins.999".utf8), in: bench.sign())
        }
        add("another product, signed by its digest", .invalidSignature) { bench in
            try bench.replacing(
                Array("coins.100".utf8), with: Array("coins.999".utf8),
                in: bench.sign { $0.hasSignedAttributes = true })
        }
        add("a digest of something else", .invalidSignature) { bench in
            try bench.sign {
                $0.hasSignedAttributes = true
                $0.messageDigest = [UInt8](repeating: 7, count: 32)
            }
        }
        for count in [0, 2] {
            add("\(count) digests", .invalidSignature) { bench in
                try bench.sign {
                    $0.hasSignedAttributes = true
                    $0.digestCount = count
                }
            }
        }
        add("a changed signature", .invalidSignature) { bench in
            var receipt = try bench.sign()
            receipt[receipt.count - 1] ^= 1
            return receipt
        }
        add("a signature of SHA-1 that claims SHA-256", .invalidSignature) { bench in
            var receipt = try bench.sign()
            let signature = try bench.sign { $0.digest = .sha1 }.suffix(256)
            receipt.replaceSubrange((receipt.count - 256)..., with: signature)
            return receipt
        }
        add("a digest by SHA-384", .unsupportedAlgorithm) { bench in
            // The last byte of the identifier: 1 is SHA-256, 2 is SHA-384.
            let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00]
            var receipt = try bench.sign()
            for place in receipt.indices where receipt[place...].starts(with: sha256) { receipt[place + 8] = 2 }
            return receipt
        }
        add("a signature by RSA-PSS", .unsupportedAlgorithm) { bench in
            // The last byte of the identifier: 1 is RSA, 10 is RSASSA-PSS. Its first occurrence is in the certificate.
            var receipt = try bench.sign()
            let genuine = receipt
            let last = try #require(genuine.indices.last { genuine[$0...].starts(with: rsa) })
            receipt[last + 10] = 10
            return receipt
        }
        add("two signers", .malformed) { try $0.sign { $0.signers = 2 } }
        add("no signer", .malformed) { try $0.sign { $0.signers = 0 } }
        add("nine certificates", .malformed) { bench in
            try bench.sign { $0.certificates = Array(repeating: bench.signer.certificates[2], count: 9) }
        }
        add("a byte less", .malformed) { Array(try $0.sign().dropLast()) }
        add("a byte more", .malformed) { try $0.sign() + [0] }
        add("content that is not DER", .malformed) { try $0.sign(Array("receipt".utf8)) }
        add("content that is not a set", .malformed) { try $0.sign([0x30, 0x00]) }
        add("no creation time", .malformed) { try $0.sign(ReceiptSample.content([.createdAt: nil])) }
        add("a creation time that is none", .malformed) {
            try $0.sign(ReceiptSample.content([.createdAt: "yesterday"]))
        }
        add("no bundle id", .malformed) { try $0.sign(ReceiptSample.content([.bundleID: nil])) }
        add("no type", .malformed) { try $0.sign(ReceiptSample.content([.type: nil])) }
        add("two bundle ids", .malformed) { try $0.sign(ReceiptSample.content(more: [.bundleID: "com.example.game"])) }
        add("a purchase without a transaction", .malformed) {
            try $0.sign(ReceiptSample.content(purchase: [.transactionID: nil]))
        }
        add("a purchase without a product", .malformed) {
            try $0.sign(ReceiptSample.content(purchase: [.productID: ""]))
        }
        add("another app", .bundleMismatch) { try $0.sign(ReceiptSample.content([.bundleID: "com.example.other"])) }
        add("an app whose id looks alike", .bundleMismatch) {
            try $0.sign(ReceiptSample.content([.bundleID: "com.example.gam\u{0435}"]))
        }
        add("of the sandbox", .environmentRefused) {
            try $0.sign(ReceiptSample.content([.type: "ProductionSandbox"]))
        }
        add("of Xcode", .environmentRefused) { try $0.sign(ReceiptSample.content([.type: "Xcode"])) }
        add("of an unknown type", .environmentRefused) { try $0.sign(ReceiptSample.content([.type: "production"])) }
        return forgeries
    }()

    let bench: Bench
    let verifier: ReceiptVerifier

    init() throws {
        bench = try Bench.shared.get()
        verifier = ReceiptVerifier(.init(roots: [bench.authority.root], bundleID: "com.example.game"))
    }

    @Test("A forged receipt is refused, and a genuine one is not", arguments: forgeries)
    func forged(forgery: Forgery) throws {
        let (name, code) = (forgery.name, forgery.code)
        let checked = verifier.verify(try forgery.make(bench))
        #expect(checked.error?.code == code, "\(name): \(checked.error?.message ?? "verified")")
        #expect(!checked.isVerified)
        #expect(try verifier.verify(bench.sign()).error == nil)
        // The result for a receipt that cannot be verified still contains the ids of its transactions.
        if ![VerificationError.Code.malformed, .bundleMismatch].contains(code) {
            #expect(checked.transactionIDs.first == "1000")
        }
    }

    @Test("Certificates without the App Store's properties are refused")
    func certificates() throws {
        func expect(
            _ code: VerificationError.Code, _ change: (inout LocalAuthority.Shape) -> Void,
            line: SourceLocation = #_sourceLocation
        ) throws {
            let (receipt, root) = try bench.sign(shape: change)
            let verifier = ReceiptVerifier(.init(roots: [root], bundleID: "com.example.game"))
            #expect(verifier.verify(receipt).error?.code == code, sourceLocation: line)
        }
        try expect(.missingMarker, { $0.leafIsMarked = false })
        try expect(.missingMarker, { $0.intermediateIsMarked = false })
        try expect(.untrustedChain, { $0.leafIsAuthority = true })
        try expect(.untrustedChain, { $0.leafMaySign = false })
        try expect(.untrustedChain, { $0.intermediateIsAuthority = false })
        try expect(.untrustedChain, { $0.intermediateMaySignCertificates = false })
        try expect(.untrustedChain, { $0.leafHasUnknownCriticalExtension = true })
        try expect(.untrustedChain, { $0.leafIssuerName = "Somebody" })
        try expect(.untrustedChain, { $0.rootPathLength = 0 })
        try expect(.certificateNotValidAtSigning, { $0.leafValidity = ReceiptSample.before })
        try expect(.certificateNotValidAtSigning, { $0.leafValidity = ReceiptSample.after })
        try expect(.certificateNotValidAtSigning, { $0.intermediateValidity = ReceiptSample.before })
        try expect(.certificateNotValidAtSigning, { $0.rootValidity = ReceiptSample.after })
    }

    @Test("Without a root, under another root, and under Xcode's certificate nothing is verified")
    func roots() throws {
        let receipt = try bench.sign()
        for roots in [[], [bench.other.root], [try XcodeAuthority().certificate]] {
            let verifier = ReceiptVerifier(.init(roots: roots, bundleID: nil))
            #expect(verifier.verify(receipt).error?.code == .untrustedChain)
        }
    }

    @Test("Hostile lengths and depths end in a refusal")
    func hostile() throws {
        let head: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        let receipt = try bench.sign()
        func nested(_ count: Int, _ part: [UInt8]) -> [UInt8] {
            [0x30, 0x80] + head + (0..<count).flatMap { _ in part } + [0, 0]
        }
        let shapes: [[UInt8]] = [
            [0x30], [0x30, 0x80], [0x30, 0x80, 0, 0], [0x30, 0x00], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0x88] + [UInt8](repeating: 0xFF, count: 8), [0x30, 0x89] + [UInt8](repeating: 0xFF, count: 9),
            [0x30, 0xFF, 0x01], [0x30, 0x80] + head, nested(10, [0xA0, 0x80]), nested(100_000, [0xA0, 0x80]),
            nested(100_000, [0x24, 0x80]), nested(1, [0x04, 0x80]),
            nested(1000, [0x3F, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0]),
            receipt + [0, 0], [0x30, 0x80] + receipt + [0, 0], Array(receipt.dropFirst()),
        ]
        for shape in shapes {
            #expect(verifier.verify(shape).error?.code == .malformed, "\(shape.prefix(16))")
        }
        let large = [UInt8](repeating: 0x30, count: ReceiptVerifier.maximumSize + 1)
        #expect(verifier.verify(large).error?.code == .malformed)
    }

    @Test("No damaged byte of a receipt is accepted, or ends the process")
    func damaged() throws {
        let receipt = try bench.sign()
        var generator = SplitMix64(seed: 35)
        for _ in 0..<400 {
            var damaged = receipt
            let place = Int.random(in: damaged.indices, using: &generator)
            damaged[place] = UInt8.random(in: 0...255, using: &generator)
            let checked = verifier.verify(damaged)
            // If the changed byte is in the receipt's copy of the root, the receipt is still verified, because the
            // verifier uses its own trusted root.
            if checked.isVerified { #expect(checked.receipt == verifier.verify(receipt).receipt) }
            _ = verifier.verify(Array(receipt.prefix(place)))
        }
    }
}

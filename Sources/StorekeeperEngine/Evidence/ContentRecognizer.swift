/// Recognizes content, one layer of encoding after another.
struct ContentRecognizer {
    /// What was found.
    struct Finding {
        var kind: PastedContent.Kind
        var items = 1
        var what: String
        var next: String
        var content: [UInt8]
    }

    /// Damages that were repaired, in words.
    private var repairs: [String] = []
    /// The number of layers of base64 that were removed.
    private var base64Layers = 0
    private var depth = 0

    /// The encodings that were removed and the damages that were repaired, in words; empty if there were none.
    var layers: String {
        let base64 =
            switch base64Layers {
            case 0: ""
            case 1: "in base64"
            case 2: "in base64 twice"
            default: "in base64 \(base64Layers) times"
            }
        return ([base64] + repairs).filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private static let maximumDepth = 6

    /// Returns what bytes contain.
    mutating func finding(of bytes: [UInt8]) -> Finding {
        if bytes.starts(with: Self.byteOrderMark) {
            repairs.append("with a byte order mark")
            return inner(Array(bytes.dropFirst(Self.byteOrderMark.count)), bytes)
        }
        if let finding = binary(bytes) { return finding }
        let text = Self.trimmed(bytes[...])
        guard let first = text.first else {
            return unknown("an empty file", "restore its content", bytes)
        }
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return json(Array(text), bytes)
        case UInt8(ascii: "<"): return catalog(bytes)
        case UInt8(ascii: "\""):
            if let string = (try? JSONReader().read(Array(text)))?.root.string {
                return inner(Array(string.utf8), bytes)
            }
            // Several strings follow one another.
            if Self.beginsCompactJWS(text.dropFirst()) { return Self.evidence(.jws, "signed data (JWS)", bytes) }
        default: break
        }
        if let pem = PEMText(Array(text)) { return finding(of: pem, bytes) }
        return self.text(Array(text), bytes)
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns a text without the white space around it.
    static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.starts(with: byteOrderMark) ? text.dropFirst(byteOrderMark.count) : text
        text = text.drop(while: \.isBlank)
        while let last = text.last, last.isBlank { text.removeLast() }
        return text
    }

    func unknown(_ what: String, _ next: String, _ bytes: [UInt8]) -> Finding {
        Finding(kind: .unknown, items: 0, what: what, next: next, content: bytes)
    }

    /// Returns what the content of an encoding contains.
    private mutating func inner(_ content: [UInt8], _ bytes: [UInt8]) -> Finding {
        guard depth < Self.maximumDepth else {
            return unknown("a text in too many encodings", "decode it first", bytes)
        }
        depth += 1
        defer { depth -= 1 }
        return finding(of: content)
    }

    // MARK: Binary content

    private func binary(_ bytes: [UInt8]) -> Finding? {
        if bytes.starts(with: "bplist".utf8) { return catalog(bytes) }
        guard bytes.first == 0x30, let form = DERForm(bytes) else { return nil }
        return finding(of: form, bytes)
    }

    private func finding(of form: DERForm, _ der: [UInt8]) -> Finding {
        switch form {
        case .signedData: Self.receipt("an app receipt", .receipt, der)
        case .certificate: Self.certificate(der)
        case .privateKey: Self.key("a private key", PEMText.text("PRIVATE KEY", der))
        case .ecPrivateKey:
            Self.key(
                "a private key in SEC 1 format", PEMText.text("EC PRIVATE KEY", der),
                "convert it with 'openssl pkcs8 -topk8 -nocrypt -in FILE', or use the .p8 file of App Store Connect")
        case .encryptedPrivateKey:
            Self.key(
                "an encrypted private key", PEMText.text("ENCRYPTED PRIVATE KEY", der),
                "decrypt it, or use the .p8 file of App Store Connect, which has no password")
        case .publicKey:
            unknown("a public key", "no command takes it; give the private key (.p8) with --api-key", der)
        }
    }

    static func receipt(_ what: String, _ kind: PastedContent.Kind, items: Int = 1, _ content: [UInt8]) -> Finding {
        Finding(
            kind: kind, items: items, what: what,
            next: "read it with 'storekeeper receipt FILE'; 'storekeeper fetch --receipt FILE' exchanges it for signed "
                + "transactions",
            content: content)
    }

    private static func key(_ what: String, _ content: [UInt8], _ next: String? = nil) -> Finding {
        Finding(
            kind: .privateKey, what: what,
            next: next ?? "keep it secret; commands that ask the App Store take it with --api-key FILE",
            content: content)
    }

    private static func certificate(_ content: [UInt8], items: Int = 1) -> Finding {
        Finding(
            kind: .certificate, items: items, what: items > 1 ? "certificates" : "a certificate",
            next: items > 1
                ? "commands take a trusted root with --root, one certificate to a file"
                : "if it is a root that you trust, commands take it with --root FILE",
            content: content)
    }

    // MARK: PEM

    private mutating func finding(of pem: PEMText, _ bytes: [UInt8]) -> Finding {
        guard let first = pem.blocks.first else { return unknown("a text", "check the file", bytes) }
        guard let der = first.der, let form = DERForm(der) else {
            let what = first.label.contains("KEY") ? "a key" : first.label == "CERTIFICATE" ? "a certificate" : "PEM"
            return unknown("\(what) that is cut off or damaged", "copy the whole file again", bytes)
        }
        var finding = finding(of: form, der)
        if form == .certificate {
            // A reader of certificates accepts several blocks with text around them.
            let isOne = pem.blocks.count == 1
            finding = Self.certificate(
                isOne && !pem.isIntact ? PEMText.text("CERTIFICATE", der) : bytes, items: pem.blocks.count)
        }
        if !pem.isIntact { repairs.append("whose line breaks were lost") }
        return finding
    }

    // MARK: Texts

    private mutating func text(_ text: [UInt8], _ bytes: [UInt8]) -> Finding {
        if let word = ["authorization:", "bearer"].first(where: { Self.hasPrefix($0, text) }) {
            return inner(Array(Self.trimmed(text.dropFirst(word.utf8.count))), bytes)
        }
        let line = text.prefix { $0 != 0x0A && $0 != 0x0D }
        let joined = text.filter { !$0.isBlank }
        if Self.beginsCompactJWS(joined[...]) {
            guard joined.count > line.count, !Self.isWholeJWS(line), Self.segments(of: joined[...]) == 3 else {
                return evidence(text, bytes, first: Array(line))
            }
            repairs.append("whose lines were broken")
            return evidence(joined, joined, first: joined)
        }
        let readings = LenientBase64.readings(of: text)
        for reading in readings {
            let saved = self
            base64Layers += 1
            repairs += reading.deviations.map(\.rawValue)
            let finding = inner(reading.bytes, bytes)
            if finding.kind != .unknown { return finding }
            self = saved
        }
        if let finding = receiptPerLine(text, bytes) { return finding }
        // Many short words are base64, too.
        return readings.isEmpty || text.count < 40
            ? unknown(
                "a text that is not evidence, a receipt, a key or a list of products",
                "check that it is the right file", bytes)
            : unknown("base64 of unknown content", "check that it was copied from beginning to end", bytes)
    }

    /// Returns the finding for a text in which each line is a receipt in base64.
    private func receiptPerLine(_ text: [UInt8], _ bytes: [UInt8]) -> Finding? {
        let lines = text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map(Self.trimmed).filter { !$0.isEmpty }
        guard lines.count > 1 else { return nil }
        let receipts = lines.count { line in
            LenientBase64.readings(of: line).contains { DERForm($0.bytes) == .signedData }
        }
        return receipts == lines.count ? Self.receipt("app receipts", .receipt, items: receipts, bytes) : nil
    }

    private static func hasPrefix(_ word: String, _ text: [UInt8]) -> Bool {
        String(decoding: text.prefix(word.utf8.count), as: UTF8.self).lowercased() == word
    }

    private static func segments(of text: ArraySlice<UInt8>) -> Int {
        text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).count
    }

    /// Returns whether a line has three segments, the last of which is long enough for a signature.
    private static func isWholeJWS(_ line: ArraySlice<UInt8>) -> Bool {
        let parts = line.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && (parts.last?.count ?? 0) >= 64
    }

    /// Returns whether a text begins like a compact JWS: base64url of a JSON object and a period.
    static func beginsCompactJWS(_ text: ArraySlice<UInt8>) -> Bool {
        text.starts(with: "ey".utf8) && text.contains(UInt8(ascii: "."))
    }

    // MARK: Evidence

    /// Returns the finding for lines of evidence.
    ///
    /// - Parameter first: The first compact JWS.
    private func evidence(_ text: [UInt8], _ bytes: [UInt8], first: [UInt8]) -> Finding {
        if Self.isToken(first) {
            return Finding(
                kind: .apiToken, what: "a token of the App Store Server API",
                next:
                    "it is not evidence, and is valid for at most an hour; commands make tokens themselves from a key: "
                    + "give --api-key KEY.p8, --key-id and --issuer-id",
                content: text)
        }
        guard let header = first.split(separator: UInt8(ascii: ".")).first, Self.object(inBase64URL: header) != nil
        else {
            return unknown("a text that begins like a JWS", "copy the whole JWS again", bytes)
        }
        let content = text == Array(Self.trimmed(bytes[...])) ? bytes : text
        return Self.payload(of: first)?["notificationType"] != nil
            ? Self.evidence(.notification, "a server notification (JWS)", content)
            : Self.evidence(.jws, "signed data (JWS)", content)
    }

    static func evidence(_ kind: PastedContent.Kind, _ what: String, _ content: [UInt8]) -> Finding {
        var scanner = EvidenceScanner()
        let items = (scanner.feed(content) + scanner.finish()).count { item in
            if case .malformed = item { false } else { true }
        }
        return Finding(
            kind: kind, items: items, what: what,
            next: "check it with 'storekeeper verify FILE', or ask 'storekeeper entitlements FILE'", content: content)
    }

    /// Returns whether a compact JWS is a token for requests, which names an audience instead of a certificate.
    private static func isToken(_ jws: [UInt8]) -> Bool {
        guard let payload = Self.payload(of: jws),
            let header = jws.split(separator: UInt8(ascii: ".")).first.flatMap(object(inBase64URL:))
        else { return false }
        return payload["aud"] != nil && header["x5c"] == nil
            && (payload["iss"] != nil || payload["bid"] != nil || payload["sub"] != nil)
    }

    /// Returns the payload of a compact JWS; `nil` if it cannot be read.
    private static func payload(of jws: [UInt8]) -> JSONObject? {
        let parts = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 ? object(inBase64URL: parts[1]) : nil
    }

    private static func object(inBase64URL text: ArraySlice<UInt8>) -> JSONObject? {
        LenientBase64.readings(of: text).lazy
            .compactMap { (try? JSONReader(maximumDepth: 32, maximumSize: 1 << 20).read($0.bytes))?.root.object }.first
    }

    // MARK: Catalogs

    func catalog(_ bytes: [UInt8]) -> Finding {
        do throws(CatalogError) {
            let catalog = try Catalog(reading: [CatalogFile(name: "FILE", bytes: bytes)])
            return Finding(
                kind: .catalog, items: catalog.products.count,
                what: catalog.products.isEmpty ? "a list of products without a product" : "a list of products",
                next: "show it with 'storekeeper products FILE'; other commands take it with --catalog FILE",
                content: bytes)
        } catch {
            return unknown(error.message, error.remedy, bytes)
        }
    }
}

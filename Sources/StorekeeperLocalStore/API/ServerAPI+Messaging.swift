import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

/// The requests of retention messaging.
///
/// - SeeAlso: Apple, "Retention Messaging API".
extension ServerAPI {
    /// The App Store's maximum number of images, and of messages.
    private static let maximumCount = 2000

    // MARK: Images

    func uploadImage(_ id: String, _ query: QueryValues, _ body: [UInt8]) throws -> JSONText? {
        let id = try Self.uuid(id)
        guard let size = RetentionMessages.ImageSize(rawValue: query.value("imageSize") ?? "FULL_SIZE") else {
            throw APIError.invalidImageSize
        }
        guard body.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { throw APIError.invalidImage }
        try messages.change(app) { state throws(APIError) in
            guard state.image(id) == nil else { throw .imageAlreadyExists }
            guard state.images.count < Self.maximumCount else { throw .tooManyImages }
            state.images.append(RetentionMessages.Image(id: id, size: size, review: state.nextReview))
        }
        return nil
    }

    func deleteImage(_ id: String) throws -> JSONText? {
        let id = try Self.uuid(id)
        try messages.change(app) { state throws(APIError) in
            guard state.image(id) != nil else { throw .imageNotFound }
            guard !state.messages.contains(where: { $0.text.images.contains(id) }) else { throw .imageInUse }
            state.images.removeAll { $0.id == id }
        }
        return nil
    }

    var images: JSONText {
        .object([
            "imageIdentifiers": .array(
                messages.state(of: app).images.map { image in
                    .object([
                        "imageIdentifier": .string(image.id.uuidString.lowercased()),
                        "imageState": .string(image.review.rawValue), "imageSize": .string(image.size.rawValue),
                    ])
                })
        ])
    }

    // MARK: Messages

    func uploadMessage(_ id: String, _ body: [UInt8]) throws -> JSONText? {
        let id = try Self.uuid(id)
        let json = try JSONObject.reading(body)
        try messages.change(app) { state throws(APIError) in
            guard state.message(id) == nil else { throw .messageAlreadyExists }
            guard state.messages.count < Self.maximumCount else { throw .tooManyMessages }
            let text = try RetentionText(json, in: state)
            state.messages.append(RetentionMessages.Message(id: id, text: text, review: state.nextReview))
        }
        return nil
    }

    /// Deletes a message, and every default that refers to it.
    func deleteMessage(_ id: String) throws -> JSONText? {
        let id = try Self.uuid(id)
        try messages.change(app) { state throws(APIError) in
            guard state.message(id) != nil else { throw .messageNotFound }
            state.messages.removeAll { $0.id == id }
            state.defaults = state.defaults.filter { $0.value != id }
        }
        return nil
    }

    var messageList: JSONText {
        .object([
            "messageIdentifiers": .array(
                messages.state(of: app).messages.map { message in
                    .object([
                        "messageIdentifier": .string(message.id.uuidString.lowercased()),
                        "messageState": .string(message.review.rawValue),
                    ])
                })
        ])
    }

    // MARK: Default messages

    func setDefault(_ product: String, _ locale: String, _ body: [UInt8]) throws -> JSONText? {
        let target = try target(product, locale)
        guard let id = try JSONObject.reading(body)["messageIdentifier"]?.string.flatMap(UUID.init(uuidString:)) else {
            throw APIError.badRequest("messageIdentifier must be a UUID")
        }
        try messages.change(app) { state throws(APIError) in
            if let obstacle = state.obstacle(toDisplaying: id) { throw obstacle }
            state.defaults[target] = id
        }
        return nil
    }

    func defaultMessage(_ product: String, _ locale: String) throws -> JSONText {
        guard let id = messages.state(of: app).defaults[try target(product, locale)] else {
            throw APIError.defaultMessageNotFound
        }
        return .object(["messageIdentifier": .string(id.uuidString.lowercased())])
    }

    func deleteDefault(_ product: String, _ locale: String) throws -> JSONText? {
        let target = try target(product, locale)
        try messages.change(app) { state throws(APIError) in
            guard state.defaults.removeValue(forKey: target) != nil else { throw .defaultMessageNotFound }
        }
        return nil
    }

    private func target(_ product: String, _ locale: String) throws -> RetentionMessages.Target {
        guard (try? store.catalog(of: app))?.products.contains(where: { $0.id == Product.ID(product) }) == true else {
            throw APIError.invalidProductID
        }
        let parts = locale.split(separator: "-", omittingEmptySubsequences: false)
        let isWellFormed = parts.allSatisfy { part in
            (2...8).contains(part.utf8.count) && part.utf8.allSatisfy { $0 < 0x80 && (0x30...0x7A).contains($0) }
        }
        guard isWellFormed, parts.first?.allSatisfy(\.isLetter) == true, parts.count <= 3 else {
            throw APIError.invalidLocale
        }
        return RetentionMessages.Target(product: Product.ID(product), locale: locale)
    }

    // MARK: Real-time messages

    func setRealtimeURL(_ body: [UInt8]) throws -> JSONText? {
        guard let url = try JSONObject.reading(body)["realtimeURL"]?.string, Self.isAcceptable(url) else {
            throw APIError.invalidRealtimeURL
        }
        try messages.change(app) { state throws(APIError) in
            guard environment != .production || state.tests.contains(where: { $0.target == url && $0.hasPassed }) else {
                throw .noPassingTest
            }
            state.realtimeURL = url
        }
        return nil
    }

    /// Returns whether the App Store would send requests to a URL, which must be HTTPS and have at most 256 characters.
    ///
    /// For tests, HTTP to this machine is also acceptable.
    private static func isAcceptable(_ text: String) -> Bool {
        guard text.unicodeScalars.count <= 256, let url = URL(string: text), let host = url.host, !host.isEmpty else {
            return false
        }
        return url.scheme == "https"
            || url.scheme == "http" && ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host)
    }

    func realtimeURL() throws -> JSONText {
        guard let url = messages.state(of: app).realtimeURL else { throw APIError.realtimeURLNotFound }
        return .object(["realtimeURL": .string(url)])
    }

    func deleteRealtimeURL() throws -> JSONText? {
        try messages.change(app) { state throws(APIError) in
            guard state.realtimeURL != nil else { throw .realtimeURLNotFound }
            state.realtimeURL = nil
        }
        return nil
    }

    /// Begins a performance test; `LocalAppStore.run()` carries it out.
    func initiateTest(_ body: [UInt8]) throws -> JSONText {
        guard let id = try JSONObject.reading(body)["originalTransactionId"]?.string else {
            throw APIError.invalidPerformanceTest("originalTransactionId is missing")
        }
        guard let purchase = store.purchase(id, app: app), purchase.productType == .autoRenewable else {
            throw APIError.invalidPerformanceTest("originalTransactionId is not the id of a subscription")
        }
        let request = RealtimeQuestion(originalID: purchase.originalID, product: purchase.productID, locale: "en-US")
        let test = UUID()
        try messages.change(app) { state throws(APIError) in
            guard let url = state.realtimeURL else { throw .realtimeURLNotFound }
            guard state.tests.allSatisfy(\.isComplete) else { throw .existingPerformanceTest }
            state.tests.append(PerformanceRun(id: test, target: url, request: request))
        }
        return .object([
            "config": PerformanceRun.configuration, "requestId": .string(test.uuidString.lowercased()),
        ])
    }

    func testResult(_ id: String) throws -> JSONText {
        guard let id = UUID(uuidString: id) else { throw APIError.invalidRequestID }
        guard let test = messages.state(of: app).tests.first(where: { $0.id == id }) else {
            throw APIError.performanceTestNotFound
        }
        return test.json
    }

    // MARK: Parts

    private static func uuid(_ text: String) throws(APIError) -> UUID {
        guard let id = UUID(uuidString: text) else { throw .badRequest("the identifier must be a UUID") }
        return id
    }
}

import FoundationEssentials
import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// Controls retention messaging: reviews, and the display of a message to a customer.
extension ControlAPI {
    /// Returns the images and messages of an app, its default messages and the URL of its server.
    ///
    /// - Parameter app: The bundle id; `nil` for the first app.
    func messaging(of app: String?) throws -> JSONText {
        let served = local.current
        let state = served.messages.state(of: try appID(app))
        return .object([
            "review": .string(state.nextReview.rawValue), "realtimeURL": .text(state.realtimeURL),
            "images": .array(
                state.images.map { image in
                    .object([
                        "id": .string(image.id.uuidString.lowercased()), "review": .string(image.review.rawValue),
                        "size": .string(image.size.rawValue),
                    ])
                }),
            "messages": .array(state.messages.map(Self.document)),
            "defaults": .array(
                state.defaults.sorted {
                    ($0.key.product.rawValue, $0.key.locale) < ($1.key.product.rawValue, $1.key.locale)
                }
                .map { target, id in
                    .object([
                        "productID": .text(target.product), "locale": .string(target.locale),
                        "message": .string(id.uuidString.lowercased()),
                    ])
                }),
        ])
    }

    /// Sets the result of the review of a message, as in `{"review": "REJECTED", "message": "…"}`.
    ///
    /// With `image` instead of `message`, the request sets the review result of an image. With neither member, it sets
    /// the review result of all later uploads.
    func review(_ body: [UInt8]) throws -> JSONText {
        let json = try JSONObject.reading(body, as: .review)
        guard let review = json["review"]?.string.flatMap(RetentionMessages.Review.init) else {
            let words = RetentionMessages.Review.allCases.map(\.rawValue).joined(separator: ", ")
            throw APIError.badRequest("review must be one of \(words)")
        }
        func id(_ name: String) throws(APIError) -> UUID? {
            guard let value = json[name] else { return nil }
            guard let id = value.string.flatMap(UUID.init(uuidString:)) else {
                throw .badRequest("\(name) must be a UUID")
            }
            return id
        }
        let (app, message, image) = (try appID(json.text("app")), try id("message"), try id("image"))
        try local.current.messages.change(app) { state throws(APIError) in
            if let message {
                guard let index = state.messages.firstIndex(where: { $0.id == message }) else {
                    throw .messageNotFound
                }
                state.messages[index].review = review
            }
            if let image {
                guard let index = state.images.firstIndex(where: { $0.id == image }) else { throw .imageNotFound }
                state.images[index].review = review
            }
            if message == nil, image == nil { state.nextReview = review }
        }
        return try messaging(of: app)
    }

    /// Simulates that a customer opens the page to cancel a subscription: `{"transactionID": "…", "locale": "en-US"}`.
    ///
    /// Returns the message that the customer sees: the message that the app's server chooses, or else the default
    /// message.
    func display(_ body: [UInt8]) async throws -> JSONText {
        let json = try JSONObject.reading(body, as: .display)
        let app = try appID(json.text("app"))
        guard let id = json["transactionID"]?.string, let purchase = local.store.purchase(id, app: app),
            purchase.productType == .autoRenewable
        else { throw APIError.badRequest("transactionID is not the id of a subscription") }
        let locale = try json.text("locale") ?? "en-US"
        let question = RealtimeQuestion(originalID: purchase.originalID, product: purchase.productID, locale: locale)
        let messages = local.current.messages
        var members: [String: JSONText] = [:]
        if let url = messages.state(of: app).realtimeURL {
            let reply = try await local.ask(question, of: app, at: url)
            members["result"] = .string(reply.result.rawValue)
            members["milliseconds"] = .whole(reply.milliseconds)
            if let response = reply.response {
                members["response"] = .value(response)
                let choice = response.object.flatMap(RealtimeChoice.init)
                if let choice, messages.state(of: app).obstacle(toDisplaying: choice.message) == nil,
                    let message = messages.state(of: app).message(choice.message)
                {
                    members["source"] = .string(choice.source)
                    members["message"] = Self.document(message)
                    return .object(members)
                }
                members["problem"] = .string(
                    choice.flatMap { messages.state(of: app).obstacle(toDisplaying: $0.message)?.message }
                        ?? "The response names no message, or several.")
            }
        }
        let target = RetentionMessages.Target(product: purchase.productID, locale: locale)
        let state = messages.state(of: app)
        if let id = state.defaults[target], state.obstacle(toDisplaying: id) == nil, let message = state.message(id) {
            members["source"] = .string("default")
            members["message"] = Self.document(message)
        } else {
            members["source"] = .string("none")
        }
        return .object(members)
    }

    private static func document(_ message: RetentionMessages.Message) -> JSONText {
        .object([
            "id": .string(message.id.uuidString.lowercased()), "review": .string(message.review.rawValue),
            "header": .string(message.text.header), "body": .string(message.text.body),
        ])
    }

    /// Returns the bundle id of an app, after checking that the store has the app.
    ///
    /// - Parameter app: The bundle id; `nil` for the first app.
    private func appID(_ app: String?) throws(APIError) -> String {
        let apps = local.scenario.apps.map(\.bundleID)
        guard let app else {
            guard let first = apps.first else { throw .badRequest("the store has no app") }
            return first
        }
        guard apps.contains(app) else { throw .badRequest("the store has no app '\(app)'") }
        return app
    }
}

/// The message that an app's server chooses.
///
/// - SeeAlso: Apple, "Retention Messaging API: RealtimeResponseBody".
private struct RealtimeChoice {
    let source: String
    let message: UUID

    /// Reads a response; `nil` if the response does not have exactly one of the possible members, or if this member
    /// contains no message.
    init?(_ response: JSONObject) {
        let kinds = ["message", "alternateProduct", "promotionalOffer", "advancedCommerceInfo"]
        let present = kinds.filter { response[$0] != nil }
        guard let source = present.first, present.count == 1, let object = response[source]?.object,
            let id = object["messageIdentifier"]?.string.flatMap(UUID.init(uuidString:))
        else { return nil }
        switch source {
        case "alternateProduct": guard object["productId"]?.string != nil else { return nil }
        case "promotionalOffer":
            guard
                object["promotionalOfferSignatureV1"]?.object != nil
                    || object["promotionalOfferSignatureV2"]?.string != nil
            else { return nil }
        case "advancedCommerceInfo": guard object["advancedCommerceData"]?.string != nil else { return nil }
        default: break
        }
        self.source = source
        message = id
    }
}

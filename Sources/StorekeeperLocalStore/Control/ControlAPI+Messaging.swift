import FoundationEssentials
import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// Controls retention messaging: reviews, and the display of a message to a customer.
extension ControlAPI {
    /// Returns the images and messages of an app, its default messages and the URL of its server.
    ///
    /// - Parameter app: The bundle id; `nil` for the first app.
    func messaging(of app: String?) throws -> Messaging {
        Messaging(state: local.current.messages.state(of: try appID(app)))
    }

    struct Messaging: JSONShaped {
        let state: RetentionMessages.App

        static let shape = JSONShape<Self>([
            .member("review", "The review of the next uploads.") { $0.state.nextReview.rawValue },
            .member("realtimeURL") { $0.state.realtimeURL }, .member("images") { $0.state.images },
            .member("messages") { $0.state.messages }, .member("defaults") { $0.defaults },
        ])

        private var defaults: [Default] {
            state.defaults.map { Default(target: $0, message: $1) }.sorted {
                ($0.target.product.rawValue, $0.target.locale) < ($1.target.product.rawValue, $1.target.locale)
            }
        }
    }

    /// The default message for a product and a locale.
    private struct Default: JSONShaped {
        let target: RetentionMessages.Target
        let message: UUID

        static let shape = JSONShape<Self>([
            .member("productID") { $0.target.product }, .member("locale") { $0.target.locale },
            .member("message") { $0.message.uuidString.lowercased() },
        ])
    }

    /// Sets the result of the review of a message, as in `{"review": "REJECTED", "message": "…"}`.
    ///
    /// With `image` instead of `message`, the request sets the review result of an image. With neither member, it sets
    /// the review result of all later uploads.
    func review(_ body: [UInt8]) throws -> Messaging {
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
    func display(_ body: [UInt8]) async throws -> Display {
        let json = try JSONObject.reading(body, as: .display)
        let app = try appID(json.text("app"))
        guard let id = json["transactionID"]?.string, let purchase = local.store.purchase(id, app: app),
            purchase.productType == .autoRenewable
        else { throw APIError.badRequest("transactionID is not the id of a subscription") }
        let locale = try json.text("locale") ?? "en-US"
        let question = RealtimeQuestion(originalID: purchase.originalID, product: purchase.productID, locale: locale)
        let messages = local.current.messages
        var display = Display()
        if let url = messages.state(of: app).realtimeURL {
            let reply = try await local.ask(question, of: app, at: url)
            display.reply = reply
            if let response = reply.response {
                let choice = response.object.flatMap(RealtimeChoice.init)
                if let choice, messages.state(of: app).obstacle(toDisplaying: choice.message) == nil,
                    let message = messages.state(of: app).message(choice.message)
                {
                    display.source = choice.source
                    display.message = message
                    return display
                }
                display.problem =
                    choice.flatMap { messages.state(of: app).obstacle(toDisplaying: $0.message)?.message }
                    ?? "The response names no message, or several."
            }
        }
        let target = RetentionMessages.Target(product: purchase.productID, locale: locale)
        let state = messages.state(of: app)
        if let id = state.defaults[target], state.obstacle(toDisplaying: id) == nil, let message = state.message(id) {
            display.source = "default"
            display.message = message
        }
        return display
    }

    /// The message on the page to cancel a subscription.
    struct Display: JSONShaped {
        var source = "none"
        var message: RetentionMessages.Message?
        var reply: RealtimeReply?
        var problem: String?

        static let shape = JSONShape<Self>([
            .member("source", as: .words(RealtimeChoice.sources + ["default", "none"])) { $0.source },
            .member("message") { $0.message },
            .member("result", "The result of the request to the app's server.") { $0.reply?.result.rawValue },
            .member("milliseconds", "The time until its response.") { $0.reply?.milliseconds },
            .member("response", "The response of the app's server.", as: JSONSchema(type: "object")) {
                $0.reply?.response.map(JSONText.value)
            },
            .member("problem", "Why that response was not followed.") { $0.problem },
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
    /// The members of a response, of which each means a source of the message.
    static let sources = ["message", "alternateProduct", "promotionalOffer", "advancedCommerceInfo"]

    let source: String
    let message: UUID

    /// Reads a response; `nil` if the response does not have exactly one of the possible members, or if this member
    /// contains no message.
    init?(_ response: JSONObject) {
        let present = Self.sources.filter { response[$0] != nil }
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

extension RetentionMessages.Image: JSONShaped {
    static let shape = JSONShape<RetentionMessages.Image>([
        .member("id") { $0.id.uuidString.lowercased() }, .member("review") { $0.review.rawValue },
        .member("size") { $0.size.rawValue },
    ])
}

extension RetentionMessages.Message: JSONShaped {
    static let shape = JSONShape<RetentionMessages.Message>(
        "RetentionMessage",
        [
            .member("id") { $0.id.uuidString.lowercased() }, .member("review") { $0.review.rawValue },
            .member("header") { $0.text.header }, .member("body") { $0.text.body },
        ])
}

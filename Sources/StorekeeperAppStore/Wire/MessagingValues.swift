public import FoundationEssentials
public import Storekeeper

/// The state of Apple's review of an uploaded image or message.
///
/// - SeeAlso: Apple, "Retention Messaging API: imageState" and "messageState".
public struct RetentionReviewState: RawRepresentable, Hashable, Sendable {
    /// The value as the App Store spells it.
    public let rawValue: String
    /// Creates a value from a raw value, even if no constant exists for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The image or message was not reviewed yet.
    public static let pending = Self(rawValue: "PENDING")
    /// The image or message may be displayed.
    public static let approved = Self(rawValue: "APPROVED")
    /// The image or message must not be displayed.
    public static let rejected = Self(rawValue: "REJECTED")
}

/// The purpose of an image.
///
/// - SeeAlso: Apple, "Retention Messaging API: imageSize".
public struct RetentionImageSize: RawRepresentable, Hashable, Sendable {
    /// The value as the App Store spells it.
    public let rawValue: String
    /// Creates a value from a raw value, even if no constant exists for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The main image of a message.
    public static let fullSize = Self(rawValue: "FULL_SIZE")
    /// The icon of a bullet point.
    public static let bulletPoint = Self(rawValue: "BULLET_POINT")
}

/// The position of a message's header.
///
/// - SeeAlso: Apple, "Retention Messaging API: headerPosition".
public struct RetentionHeaderPosition: RawRepresentable, Hashable, Sendable {
    /// The value as the App Store spells it.
    public let rawValue: String
    /// Creates a value from a raw value, even if no constant exists for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The header is between the image and the body.
    public static let aboveBody = Self(rawValue: "ABOVE_BODY")
    /// The header is above the image; a message with this position must have an image.
    public static let aboveImage = Self(rawValue: "ABOVE_IMAGE")
}

/// The result of a performance test.
///
/// - SeeAlso: Apple, "Retention Messaging API: PerformanceTestStatus".
public struct PerformanceTestStatus: RawRepresentable, Hashable, Sendable {
    /// The value as the App Store spells it.
    public let rawValue: String
    /// Creates a value from a raw value, even if no constant exists for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The test is not complete.
    public static let pending = Self(rawValue: "PENDING")
    /// The server was fast and reliable enough.
    public static let pass = Self(rawValue: "PASS")
    /// The server was not fast or reliable enough.
    public static let fail = Self(rawValue: "FAIL")
}

/// A message that the App Store displays to a customer who is about to cancel a subscription.
///
/// - SeeAlso: Apple, "Retention Messaging API: UploadMessageRequestBody".
public struct RetentionMessage: Hashable, Sendable {
    /// The maximum lengths, in characters, and the maximum number of bullet points.
    package static let (maximumHeader, maximumBody, maximumAltText, maximumBulletPoint, maximumBulletPoints) =
        (66, 144, 150, 66, 5)

    /// An image that was uploaded, with a description.
    public struct Image: Hashable, Sendable {
        /// The id of the image.
        public var id: UUID
        /// A description for customers who cannot see the image, at most 150 characters.
        public var altText: String

        /// Creates an image.
        public init(_ id: UUID, altText: String) {
            self.id = id
            self.altText = altText
        }
    }

    /// A line of text in a message, with an icon.
    ///
    /// - SeeAlso: Apple, "Retention Messaging API: BulletPoint".
    public struct BulletPoint: Hashable, Sendable {
        /// The text, at most 66 characters.
        public var text: String
        /// The icon, an image of the size ``RetentionImageSize/bulletPoint``.
        public var image: Image

        /// Creates a bullet point.
        public init(_ text: String, image: Image) {
            self.text = text
            self.image = image
        }
    }

    /// The header, at most 66 characters.
    public var header: String
    /// The text, at most 144 characters.
    public var body: String
    /// The image, of the size ``RetentionImageSize/fullSize``.
    public var image: Image?
    /// The position of the header; `nil` for the App Store's default.
    public var headerPosition: RetentionHeaderPosition?
    /// The bullet points; at most five.
    public var bulletPoints: [BulletPoint]

    /// Creates a message without checking it; the request to upload the message checks its texts.
    public init(
        header: String, body: String, image: Image? = nil, headerPosition: RetentionHeaderPosition? = nil,
        bulletPoints: [BulletPoint] = []
    ) {
        self.header = header
        self.body = body
        self.image = image
        self.headerPosition = headerPosition
        self.bulletPoints = bulletPoints
    }

    /// Returns the JSON of the message.
    ///
    /// - Throws: `invalidRequest` if the App Store would refuse the message.
    func json() throws(AppStoreServerError) -> JSONText {
        func check(
            _ text: String, _ limit: Int, _ name: String, _ code: AppStoreErrorCode
        ) throws(AppStoreServerError) {
            guard text.unicodeScalars.count > limit else { return }
            throw AppStoreServerError(
                .invalidRequest, "the \(name) is longer than \(limit) characters", apiCode: code)
        }
        try check(header, Self.maximumHeader, "header", .headerTooLong)
        try check(body, Self.maximumBody, "body", .bodyTooLong)
        for image in [image].compactMap(\.self) + bulletPoints.map(\.image) {
            try check(image.altText, Self.maximumAltText, "description of an image", .altTextTooLong)
        }
        guard bulletPoints.count <= Self.maximumBulletPoints else {
            throw AppStoreServerError(
                .invalidRequest, "a message has at most \(Self.maximumBulletPoints) bullet points",
                apiCode: .tooManyBulletPoints)
        }
        for point in bulletPoints {
            try check(point.text, Self.maximumBulletPoint, "text of a bullet point", .bulletPointTextTooLong)
        }
        guard headerPosition != .aboveImage || image != nil else {
            throw AppStoreServerError(
                .invalidRequest, "a header above the image needs an image", apiCode: .aboveImageRequiresAnImage)
        }
        return .object([
            "header": .string(header), "body": .string(body), "image": image.map { .object($0.members) } ?? .null,
            "headerPosition": .text(headerPosition?.rawValue),
            "bulletPoints": bulletPoints.isEmpty
                ? .null
                : .array(bulletPoints.map { .object($0.image.members.merging(["text": .string($0.text)]) { $1 }) }),
        ])
    }
}

extension RetentionMessage.Image {
    fileprivate var members: [String: JSONText] {
        ["imageIdentifier": .string(id.uuidString.lowercased()), "altText": .string(altText)]
    }
}

/// The response of the app's server to the App Store's request for a retention message.
///
/// The type of the request is `RealtimeRequest` in `StorekeeperJWS`. Respond with ``body`` as `application/json` and
/// the status 200 within the time limit of the App Store. If the response exceeds the time limit, the App Store
/// displays the default message.
///
/// - SeeAlso: Apple, "Retention Messaging API: RealtimeResponseBody".
public enum RealtimeResponse: Hashable, Sendable {
    /// Displays a message.
    case message(UUID)
    /// Displays a message that suggests another product of the group, and optionally a billing plan.
    case alternateProduct(UUID, Product.ID, billingPlan: BillingPlanType? = nil)
    /// Displays a message with a promotional offer, signed by ``OfferSigner`` as compact JWS.
    case promotionalOffer(UUID, jws: String)
    /// Displays a message with a promotional offer, signed by ``OfferSigner`` in the original format (not JWS).
    ///
    /// `account` is the app account token that the signature covers, if any.
    case signedPromotionalOffer(UUID, PromotionalOffer, PromotionalOfferSignature, account: UUID? = nil)
    /// Displays a message with an Advanced Commerce offer; `data` is the Advanced Commerce request in base64.
    ///
    /// - SeeAlso: Apple, "Retention Messaging API: advancedCommerceInfo".
    case advancedCommerce(UUID, data: String)

    /// The JSON of the response as UTF-8.
    public var body: [UInt8] { json.bytes() }

    private var json: JSONText {
        func id(_ id: UUID) -> JSONText { .string(id.uuidString.lowercased()) }
        switch self {
        case .message(let message): return .object(["message": .object(["messageIdentifier": id(message)])])
        case .alternateProduct(let message, let product, let plan):
            return .object([
                "alternateProduct": .object([
                    "messageIdentifier": id(message), "productId": .text(product),
                    "billingPlanType": .text(plan?.rawValue),
                ])
            ])
        case .promotionalOffer(let message, let jws):
            return .object([
                "promotionalOffer": .object([
                    "messageIdentifier": id(message), "promotionalOfferSignatureV2": .string(jws),
                ])
            ])
        case .signedPromotionalOffer(let message, let offer, let signature, let account):
            return .object([
                "promotionalOffer": .object([
                    "messageIdentifier": id(message),
                    "promotionalOfferSignatureV1": .object([
                        "encodedSignature": .string(signature.signature), "productId": .text(offer.productID),
                        "nonce": id(signature.nonce), "timestamp": .integer(signature.signedAt.millisecondsSince1970),
                        "keyId": .string(signature.keyID), "offerIdentifier": .text(offer.offerID),
                        "appAccountToken": account.map(id) ?? .null,
                    ]),
                ])
            ])
        case .advancedCommerce(let message, let data):
            return .object([
                "advancedCommerceInfo": .object([
                    "messageIdentifier": id(message), "advancedCommerceData": .string(data),
                ])
            ])
        }
    }
}

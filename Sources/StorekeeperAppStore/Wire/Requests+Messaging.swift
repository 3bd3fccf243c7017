public import FoundationEssentials
public import Storekeeper

// MARK: - Images and messages

extension AppStoreServerRequest where Answer == Void {
    /// Uploads an image for retention messages.
    ///
    /// - Parameters:
    ///   - image: A PNG file.
    ///   - id: An id of your choice.
    ///   - size: The purpose of the image; `nil` for the App Store's default, which is ``RetentionImageSize/fullSize``.
    /// - Throws: `invalidRequest` if the image is not a PNG file.
    /// - SeeAlso: Apple, "Retention Messaging API: Upload Image".
    public static func uploadImage(
        _ image: [UInt8], id: UUID, size: RetentionImageSize? = nil
    ) throws(AppStoreServerError) -> Self {
        guard image.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            throw AppStoreServerError(.invalidRequest, "the image is not a PNG file", apiCode: .invalidImage)
        }
        return Self(
            .uploadImage, .put, path: messaging("image", id),
            query: size.map { [QueryParameter("imageSize", $0.rawValue)] } ?? [], image: image
        ) { _, _ in }
    }

    /// Deletes an image that no message uses.
    ///
    /// - SeeAlso: Apple, "Retention Messaging API: Delete Image".
    public static func deleteImage(_ id: UUID) -> Self {
        Self(.deleteImage, .delete, path: messaging("image", id)) { _, _ in }
    }

    /// Uploads a retention message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - id: An id of your choice.
    /// - Throws: `invalidRequest` if the App Store would refuse the message.
    /// - SeeAlso: Apple, "Retention Messaging API: Upload Message".
    public static func uploadMessage(_ message: RetentionMessage, id: UUID) throws(AppStoreServerError) -> Self {
        Self(.uploadMessage, .put, path: messaging("message", id), body: try message.json()) { _, _ in }
    }

    /// Deletes a retention message.
    ///
    /// - SeeAlso: Apple, "Retention Messaging API: Delete Message".
    public static func deleteMessage(_ id: UUID) -> Self {
        Self(.deleteMessage, .delete, path: messaging("message", id)) { _, _ in }
    }
}

extension AppStoreServerRequest where Answer == [UploadedRetentionImage] {
    /// Asks for all uploaded images.
    ///
    /// - SeeAlso: Apple, "Retention Messaging API: Get Image List".
    public static func images() -> Self {
        Self(
            .images, .get, path: messaging("image", "list"),
            json: { json throws(AppStoreServerError) in try RetentionImageList(json).images })
    }
}

extension AppStoreServerRequest where Answer == [UploadedRetentionMessage] {
    /// Asks for all uploaded messages.
    ///
    /// - SeeAlso: Apple, "Retention Messaging API: Get Message List".
    public static func messages() -> Self {
        Self(
            .messages, .get, path: messaging("message", "list"),
            json: { json throws(AppStoreServerError) in try RetentionMessageList(json).messages })
    }
}

// MARK: - Default messages

extension AppStoreServerRequest where Answer == Void {
    /// Sets the default message of a product in a locale.
    ///
    /// The App Store displays the default message unless the app's server chooses another message.
    ///
    /// - Throws: `invalidRequest` if the product or the locale is empty or too long.
    /// - SeeAlso: Apple, "Retention Messaging API: Configure Default Message".
    public static func configureDefaultMessage(
        _ id: UUID, for productID: Product.ID, locale: String
    ) throws(AppStoreServerError) -> Self {
        Self(
            .configureDefaultMessage, .put, path: try defaultMessage(productID, locale),
            body: .object(["messageIdentifier": .string(id.uuidString.lowercased())])
        ) { _, _ in }
    }

    /// Removes the default message of a product in a locale.
    ///
    /// - Throws: `invalidRequest` if the product or the locale is empty or too long.
    /// - SeeAlso: Apple, "Retention Messaging API: Delete Default Message".
    public static func deleteDefaultMessage(
        for productID: Product.ID, locale: String
    ) throws(AppStoreServerError) -> Self {
        Self(.deleteDefaultMessage, .delete, path: try defaultMessage(productID, locale)) { _, _ in }
    }
}

extension AppStoreServerRequest where Answer == UUID {
    /// Asks for the default message of a product in a locale.
    ///
    /// - Throws: `invalidRequest` if the product or the locale is empty or too long.
    /// - SeeAlso: Apple, "Retention Messaging API: Get Default Message" and "DefaultConfigurationResponse".
    public static func defaultMessage(for productID: Product.ID, locale: String) throws(AppStoreServerError) -> Self {
        Self(
            .defaultMessage, .get, path: try defaultMessage(productID, locale),
            json: { json throws(AppStoreServerError) in
                var reader = try AnswerReader(json)
                guard let id = try reader.uuid("messageIdentifier") else {
                    throw AppStoreServerError(.malformedResponse, "the response's messageIdentifier is missing")
                }
                return id
            })
    }
}

// MARK: - Real-time messages

extension AppStoreServerRequest where Answer == Void {
    /// Sets the URL at which the App Store asks the app's server for a message.
    ///
    /// - Parameter url: The URL, at most 256 characters.
    /// - Throws: `invalidRequest` if the URL is empty or too long.
    /// - SeeAlso: Apple, "Retention Messaging API: Configure Realtime URL".
    public static func configureRealtimeURL(_ url: String) throws(AppStoreServerError) -> Self {
        guard (1...256).contains(url.unicodeScalars.count) else {
            throw AppStoreServerError(
                .invalidRequest, "the URL is empty or longer than 256 characters", apiCode: .invalidRealtimeURL)
        }
        return Self(
            .configureRealtimeURL, .put, path: messaging("realtime", "url"),
            body: .object(["realtimeURL": .string(url)])
        ) { _, _ in }
    }

    /// Removes the URL at which the App Store asks the app's server for a message.
    ///
    /// - SeeAlso: Apple, "Retention Messaging API: Delete Realtime URL".
    public static func deleteRealtimeURL() -> Self {
        Self(.deleteRealtimeURL, .delete, path: messaging("realtime", "url")) { _, _ in }
    }
}

extension AppStoreServerRequest where Answer == String {
    /// Asks for the URL at which the App Store asks the app's server for a message.
    ///
    /// - SeeAlso: Apple, "Retention Messaging API: Get Realtime URL" and "RealtimeUrlResponse".
    public static func realtimeURL() -> Self {
        Self(
            .realtimeURL, .get, path: messaging("realtime", "url"),
            json: { json throws(AppStoreServerError) in
                var reader = try AnswerReader(json)
                return try reader.requiredText("realtimeURL")
            })
    }
}

extension AppStoreServerRequest where Answer == PerformanceTest {
    /// Asks the App Store to test whether the app's server responds fast enough; sandbox only.
    ///
    /// - Parameter originalID: The subscription that the test's requests are about.
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "Retention Messaging API: Initiate Performance Test" and "PerformanceTestRequest".
    public static func initiatePerformanceTest(_ originalID: Transaction.ID) throws(AppStoreServerError) -> Self {
        Self(
            .initiatePerformanceTest, .post, path: ["inApps", "v1", "messaging", "performanceTest"],
            body: .object(["originalTransactionId": .string(try digits(originalID.rawValue, "transaction id"))]),
            json: { json throws(AppStoreServerError) in try PerformanceTest(json) })
    }
}

extension AppStoreServerRequest where Answer == PerformanceTestResult {
    /// Asks for the result of a performance test.
    ///
    /// - Parameter requestID: The id that ``initiatePerformanceTest(_:)`` returned.
    /// - Throws: `invalidRequest` if the id is empty or too long.
    /// - SeeAlso: Apple, "Retention Messaging API: Get Performance Test Results".
    public static func performanceTestResult(_ requestID: String) throws(AppStoreServerError) -> Self {
        Self(
            .performanceTestResult, .get,
            path: ["inApps", "v1", "messaging", "performanceTest", "result", try part(requestID, "request id")],
            json: { json throws(AppStoreServerError) in try PerformanceTestResult(json) })
    }
}

// MARK: - Paths

extension AppStoreServerRequest {
    private static func messaging(_ parts: String...) -> [String] { ["inApps", "v1", "messaging"] + parts }

    private static func messaging(_ kind: String, _ id: UUID) -> [String] {
        messaging(kind, id.uuidString.lowercased())
    }

    private static func defaultMessage(
        _ productID: Product.ID, _ locale: String
    ) throws(AppStoreServerError) -> [String] {
        messaging("default", try part(productID.rawValue, "product id"), try part(locale, "locale"))
    }
}

public import FoundationEssentials
public import Storekeeper

/// Retention messaging: messages that the App Store displays to customers who are about to cancel a subscription.
///
/// - SeeAlso: Apple, "Retention Messaging API".
extension AppStoreServerClient {
    /// Uploads an image for retention messages; the App Store reviews it.
    ///
    /// If the response is lost, the request is not retried. In that case, ``retentionImages(in:)`` shows whether the
    /// image was uploaded.
    ///
    /// - Parameters:
    ///   - image: A PNG file.
    ///   - id: An id of your choice.
    ///   - size: The purpose of the image; `nil` for the App Store's default, which is ``RetentionImageSize/fullSize``.
    ///   - environment: The environment.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func uploadRetentionImage(
        _ image: [UInt8], id: UUID, size: RetentionImageSize? = nil, in environment: AppStore.Environment
    ) async throws {
        _ = try await send(.uploadImage(image, id: id, size: size), in: environment)
    }

    /// Deletes an image that no message uses.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func deleteRetentionImage(_ id: UUID, in environment: AppStore.Environment) async throws {
        _ = try await send(.deleteImage(id), in: environment)
    }

    /// Returns all uploaded images with the states of their reviews.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func retentionImages(in environment: AppStore.Environment) async throws -> [UploadedRetentionImage] {
        try await send(.images(), in: environment).value
    }

    /// Uploads a retention message; the App Store reviews it.
    ///
    /// If the response is lost, the request is not retried. In that case, ``retentionMessages(in:)`` shows whether the
    /// message was uploaded.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func uploadRetentionMessage(
        _ message: RetentionMessage, id: UUID, in environment: AppStore.Environment
    ) async throws {
        _ = try await send(.uploadMessage(message, id: id), in: environment)
    }

    /// Deletes a retention message.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func deleteRetentionMessage(_ id: UUID, in environment: AppStore.Environment) async throws {
        _ = try await send(.deleteMessage(id), in: environment)
    }

    /// Returns all uploaded messages with the states of their reviews.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func retentionMessages(in environment: AppStore.Environment) async throws -> [UploadedRetentionMessage] {
        try await send(.messages(), in: environment).value
    }

    /// Sets the default message of a product in a locale.
    ///
    /// The App Store displays the default message unless the app's server chooses another message.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func configureDefaultMessage(
        _ id: UUID, for productID: Product.ID, locale: String, in environment: AppStore.Environment
    ) async throws {
        _ = try await send(.configureDefaultMessage(id, for: productID, locale: locale), in: environment)
    }

    /// Removes the default message of a product in a locale.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func deleteDefaultMessage(
        for productID: Product.ID, locale: String, in environment: AppStore.Environment
    ) async throws {
        _ = try await send(.deleteDefaultMessage(for: productID, locale: locale), in: environment)
    }

    /// Returns the default message of a product in a locale.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func defaultMessage(
        for productID: Product.ID, locale: String, in environment: AppStore.Environment
    ) async throws -> UUID {
        try await send(.defaultMessage(for: productID, locale: locale), in: environment).value
    }

    /// Sets the URL at which the App Store asks the app's server for a message.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func configureRealtimeURL(_ url: String, in environment: AppStore.Environment) async throws {
        _ = try await send(.configureRealtimeURL(url), in: environment)
    }

    /// Removes the URL at which the App Store asks the app's server for a message.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func deleteRealtimeURL(in environment: AppStore.Environment) async throws {
        _ = try await send(.deleteRealtimeURL(), in: environment)
    }

    /// Returns the URL at which the App Store asks the app's server for a message.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func realtimeURL(in environment: AppStore.Environment) async throws -> String {
        try await send(.realtimeURL(), in: environment).value
    }

    /// Asks the App Store to test whether the app's server responds fast enough; sandbox only.
    ///
    /// - Parameters:
    ///   - originalID: The subscription that the test's requests are about.
    ///   - environment: The environment.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func initiatePerformanceTest(
        _ originalID: Transaction.ID, in environment: AppStore.Environment
    ) async throws -> PerformanceTest {
        try await send(.initiatePerformanceTest(originalID), in: environment).value
    }

    /// Returns the result of a performance test, or its progress.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func performanceTestResult(
        _ requestID: String, in environment: AppStore.Environment
    ) async throws -> PerformanceTestResult {
        try await send(.performanceTestResult(requestID), in: environment).value
    }
}

import FoundationEssentials
import Storekeeper

/// A change of an app's retention messages, which a journal records as a comment of its scenario.
///
/// A record contains the whole new state of one item of ``RetentionMessages/App``, such as an image or a message, so
/// only the last record of each item counts.
package struct MessagingRecord: Hashable, Sendable {
    private static let mark = "# messaging "

    /// The bundle id of the app.
    let app: String
    /// A JSON object with the kind, id and state of the changed item; a deleted item has no state.
    private let text: String

    private init(_ app: String, _ part: Part, _ members: [String: JSONText] = [:]) {
        self.app = app
        text = JSONText.object(
            members.merging(["app": .string(app), "part": .string(part.rawValue)]) { $1 }
        ).text()
    }

    private enum Part: String { case image, message, `default`, url, review, test }

    // MARK: Lines

    /// The record as a line of ASCII, without a line feed.
    ///
    /// The line contains only ASCII, because some other characters also end a line in YAML.
    package var line: String { Self.mark + text.asciiJSON }

    /// Parses a line of a journal; `nil` if the line is not a record.
    package init?(line: some StringProtocol) {
        guard line.hasPrefix(Self.mark) else { return nil }
        text = String(line.dropFirst(Self.mark.count))
        guard let app = Self.object(text)?["app"]?.string else { return nil }
        self.app = app
    }

    private static func object(_ text: String) -> JSONObject? {
        (try? JSONReader(maximumDepth: 16, maximumSize: 1 << 20).read(Array(text.utf8)))?.root.object
    }

    // MARK: Writing

    /// Returns the records that change an app's state from `before` to `after`.
    static func changes(
        of app: String, from before: RetentionMessages.App, to after: RetentionMessages.App
    ) -> [MessagingRecord] {
        // Deletions are first, so that the id of a deleted item can be used again. Images precede the messages that
        // display them.
        var records = deletions(.message, app, before.messages.map(\.id), after.messages.map(\.id))
        records += deletions(.image, app, before.images.map(\.id), after.images.map(\.id))
        let images = Set(before.images)
        records += after.images.filter { !images.contains($0) }.map { image in
            MessagingRecord(
                app, .image,
                [
                    "id": .string(image.id.uuidString), "size": .string(image.size.rawValue),
                    "review": review(image.review),
                ])
        }
        let messages = Set(before.messages)
        records += after.messages.filter { !messages.contains($0) }.map { message in
            MessagingRecord(
                app, .message,
                ["id": .string(message.id.uuidString), "text": message.text.json, "review": review(message.review)])
        }
        for target in Set(before.defaults.keys).union(after.defaults.keys)
        where before.defaults[target] != after.defaults[target] {
            records.append(
                MessagingRecord(
                    app, .default,
                    [
                        "product": .text(target.product), "locale": .string(target.locale),
                        "id": .text(after.defaults[target]?.uuidString),
                    ]))
        }
        if before.realtimeURL != after.realtimeURL {
            records.append(MessagingRecord(app, .url, ["url": .text(after.realtimeURL)]))
        }
        if before.nextReview != after.nextReview {
            records.append(MessagingRecord(app, .review, ["review": review(after.nextReview)]))
        }
        let tests = Dictionary(before.tests.map { ($0.id, $0.isComplete) }) { first, _ in first }
        records += after.tests.filter { tests[$0.id] != $0.isComplete }.map { test in
            MessagingRecord(app, .test, test.members)
        }
        return records
    }

    private static func deletions(_ part: Part, _ app: String, _ before: [UUID], _ after: [UUID]) -> [MessagingRecord] {
        let kept = Set(after)
        return before.filter { !kept.contains($0) }.map { MessagingRecord(app, part, ["id": .string($0.uuidString)]) }
    }

    private static func review(_ review: RetentionMessages.Review) -> JSONText { .string(review.rawValue) }

    // MARK: Reading

    /// Applies the change of the record to the state of the app; an unreadable record changes nothing.
    func apply(to state: inout RetentionMessages.App) {
        guard let json = Self.object(text), let part = json["part"]?.string.flatMap(Part.init) else { return }
        let id = json["id"]?.string.flatMap(UUID.init(uuidString:))
        let review = json["review"]?.string.flatMap(RetentionMessages.Review.init)
        switch part {
        case .image:
            guard let id else { return }
            guard let review, let size = json["size"]?.string.flatMap(RetentionMessages.ImageSize.init) else {
                return state.images.removeAll { $0.id == id }
            }
            let image = RetentionMessages.Image(id: id, size: size, review: review)
            if let index = state.images.firstIndex(where: { $0.id == id }) {
                state.images[index] = image
            } else {
                state.images.append(image)
            }
        case .message:
            guard let id else { return }
            guard let review, let text = json["text"]?.object else { return state.messages.removeAll { $0.id == id } }
            guard let text = try? RetentionText(text, in: state) else { return }
            let message = RetentionMessages.Message(id: id, text: text, review: review)
            if let index = state.messages.firstIndex(where: { $0.id == id }) {
                state.messages[index] = message
            } else {
                state.messages.append(message)
            }
        case .default:
            guard let product = json["product"]?.string, let locale = json["locale"]?.string else { return }
            state.defaults[RetentionMessages.Target(product: Product.ID(product), locale: locale)] = id
        case .url: state.realtimeURL = json["url"]?.string
        case .review: state.nextReview = review ?? state.nextReview
        case .test:
            guard let test = PerformanceRun(json) else { return }
            state.tests.removeAll { $0.id == test.id }
            state.tests.append(test)
        }
    }
}

extension RetentionText {
    /// The message's text in the JSON format of an upload, without the descriptions of its images.
    fileprivate var json: JSONText {
        func image(_ id: UUID) -> [String: JSONText] {
            ["imageIdentifier": .string(id.uuidString), "altText": .string("")]
        }
        return .object([
            "header": .string(header), "body": .string(body), "headerPosition": .text(headerPosition),
            "image": self.image.map { .object(image($0)) } ?? .null,
            "bulletPoints": .array(
                bulletPoints.map { .object(image($0.image).merging(["text": .string($0.text)]) { $1 }) }),
        ])
    }
}

extension PerformanceRun {
    /// The JSON members of the test; the results are included only after the test is complete.
    fileprivate var members: [String: JSONText] {
        [
            "id": .string(id.uuidString), "url": .string(target), "subscription": .text(request.originalID),
            "product": .text(request.product), "locale": .string(request.locale),
            "results": isComplete
                ? .array(
                    results.map {
                        .object(["result": .string($0.result.rawValue), "milliseconds": .whole($0.milliseconds)])
                    }) : .null,
        ]
    }

    /// Reads a performance test; a test without results will be run again.
    fileprivate init?(_ json: JSONObject) {
        guard let id = json["id"]?.string.flatMap(UUID.init(uuidString:)), let url = json["url"]?.string,
            let subscription = json["subscription"]?.string, let product = json["product"]?.string,
            let locale = json["locale"]?.string
        else { return nil }
        self.init(
            id: id, target: url,
            request: RealtimeQuestion(
                originalID: Transaction.ID(rawValue: subscription), product: Product.ID(product), locale: locale))
        for entry in json["results"]?.array.map(Array.init) ?? [] {
            guard let result = entry.object?["result"]?.string.flatMap(SendAttempt.Result.init),
                let milliseconds = entry.object?["milliseconds"]?.int64
            else { continue }
            results.append(RealtimeReply(result: result, milliseconds: Int(milliseconds), response: nil))
        }
        hasBegun = isComplete
    }
}

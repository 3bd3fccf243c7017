import StorekeeperPages
import StorekeeperSimulator

/// The schemas of bodies of requests, which have no other members, and of the larger answers.
extension Schema {
    // MARK: Bodies

    static let empty = object.with("maxProperties", 0)

    static let review = closed([
        "review": .words(of: RetentionMessages.Review.self), "message?": .uuid, "image?": .uuid, "app?": app,
    ])

    static let display = closed([
        "transactionID": .string, "locale?": .string.with("default", "en-US"), "app?": app,
    ])

    private static let app = string.about("A bundle id; the first app by default.")

    static let place = closed([
        "step?": .int.with("examples", [3]), "branch?": .int.with("examples", [2]),
    ]).exactlyOne(of: ["step", "branch"])

    static let branchChange = closed([
        "branch": .int.with("examples", [2]), "name?": .string.about("The new name, at most 60 characters."),
        "isDeleted?": .bool.about("Whether it is deleted; the current branch cannot be."),
    ]).exactlyOne(of: ["name", "isDeleted"])

    private static let verdict = named("Verdict", words(of: OCSPResponder.Verdict.self))
    static let certificates = named("Certificates", closed(["leaf?": verdict, "intermediate?": verdict]))

    // MARK: The store

    static let overview = named(
        "Overview",
        [
            "environment": .string, "now": .time, "nextEvent?": .time.about("When the next event is due."),
            "nextSending?": .time.about("When the next notification is due."), "apps": .list(of: .string),
            "people": .list(of: .string), "happenings": .int, "sendsNotifications": .bool,
        ])

    static let happening = named(
        "Happening",
        [
            "id": .int, "at": .time, "what": .string, "person?": .string, "app?": .string, "productID?": .string,
            "transactionID?": .string, "originalTransactionID?": .string,
            "notification?": .string.about("TYPE or TYPE/SUBTYPE."), "status?": .int, "expires?": .time,
            "price?": .string, "currency?": .string, "note?": .string, "revocationReason?": .string,
            "revocationPercentage?": .int, "offer?": .object,
        ])

    static let transaction = named(
        "Transaction",
        [
            "id": .string, "originalID?": .string, "orderID?": .string, "productID": .string, "person": .string,
            "app": .string, "begun": .time.about("When the purchase was requested."), "purchased?": .time,
            "expires?": .time, "revoked?": .time, "quantity": .int, "state": .words(of: TransactionSummary.State.self),
            "isFamilyShared": .bool, "isRenewal": .bool, "isFinished": .bool, "isRefundRequested": .bool,
            "awaitsPriceConsent": .bool.about("Whether a higher price awaits consent."),
        ])

    static let notification = named(
        "Notification",
        [
            "happening": .int, "at": .time, "notification": .string, "signedPayload": .string,
            "sendAttempts": .list(
                of: ["attemptDate": .int.about("Milliseconds since 1970."), "sendAttemptResult": .string]),
        ])

    static let fault = named(
        "Fault",
        [
            "app": .string, "fault": .string.about("A request, `any`, or `notifications`."), "how": .string,
            "left?": .int.about("The remaining number of times; absent if the fault lasts until faults are ended."),
        ])

    static let outcome = named(
        "Outcome",
        [
            "outcome?": .words("purchased", "alreadyOwned", "pending", "cancelled", "failed"),
            "transactionID?": .string, "reason?": .string, "message?": .string,
        ])

    static let retentionMessage = named(
        "RetentionMessage", ["id": .string, "review": .string, "header": .string, "body": .string])

    static let messaging = named(
        "Messaging",
        [
            "review": .string.about("The review of the next uploads."), "realtimeURL?": .string,
            "images": .list(of: ["id": .string, "review": .string, "size": .string]),
            "messages": .list(of: retentionMessage),
            "defaults": .list(of: ["productID": .string, "locale": .string, "message": .string]),
        ])

    // MARK: The story

    static let story = named(
        "Story",
        [
            "step": .int.about("The step after which the store is."), "branch": .int.about("The current branch."),
            "now": .time, "undo?": .int.about("The step that undo goes back to."),
            "redo?": .int.about("The step that redo goes to."), "count": .int.about("The number of all steps."),
            "branches": .list(
                of: ["id": .int, "name": .string, "step": .int.about("Its last step."), "isDeleted": .bool]),
            "steps": .list(of: storyStep),
        ])

    private static let storyStep = named(
        "StoryStep",
        [
            "id": .int, "parent?": .int.about("The step before it."), "kind": .words(of: StoryTree.Step.Kind.self),
            "text": .string.about("The step in the words in which it was made."),
            "at": .time.about("The store's time after it."),
            "requests?": .list(of: .string).about(
                "The requests of the App Store Server API that changed the store meanwhile."),
        ])

    private static let branchEnd = named(
        "BranchEnd", ["branch": .int, "name": .string, "step": .int, "now": .time])

    static let comparison = named(
        "Comparison",
        [
            "first": branchEnd, "second": branchEnd, "common": storyStep,
            "customers": .int.about(
                "The number of customers about whom something has happened since the common step."),
            "isCut": .bool.about("Whether customers or rows were left out."),
            "rows": .list(
                of: [
                    "person": .string, "app": .string, "subject": .string.about("A product or a balance."),
                    "first?": .string.about("The engine's answer at the end of the first branch."), "second?": .string,
                    "differs": .bool,
                ]),
        ])
}

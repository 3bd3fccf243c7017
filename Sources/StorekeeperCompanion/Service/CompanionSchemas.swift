import Storekeeper
import StorekeeperPages

/// The schemas that several routes use, and those of the larger answers. A route itself has the others.
extension Schema {
    // MARK: Parts

    static let instant = named(
        "Instant",
        about: "A time with a zone, such as 2026-03-01T09:30:00Z, or milliseconds since 1970. The default of 'at' is "
            + "the current time: the later of the service's clock and the newest signature of the customer's evidence, "
            + "if that is at most 60 seconds ahead.",
        string.with("anyOf", [["format": "date-time"], ["pattern": "^-?[0-9]{1,15}$"]]))

    static let eventID = named(
        "EventID", about: "The id of an event; 410 if the vault does not have this event.",
        string.with("pattern", .string(FeedCursor.pattern)))

    static let problem = named(
        "Problem",
        [
            "type": .string, "title": .string, "status": .int, "detail": .string,
            "balance?": .int64.about("For insufficient: the current balance."),
            "holder?": .string.about("For claimed: the customer who owns it."),
            "failures?": .list(of: .string).about("If the code is notBelieved: the error code of each item."),
            "cause?": .string.about("For a notification: the error code, as in storekeeper verify."),
            "newest?": .eventID,
        ])

    private static let answerWord = named("AnswerWord", words(of: EntitlementAnswer.Kind.self))

    private static let diagnostics = named(
        "Diagnostics",
        list(
            of: named(
                "Diagnostic",
                [
                    "severity": .string, "code": .string, "subject?": .string, "message": .string, "location?": .string,
                ])))

    // MARK: The catalog

    private static let offerKind = words("introductory", "promotional", "code", "winBack")
    private static let paymentMode = words(of: SubscriptionOffer.PaymentMode.self)

    static let products = named(
        "Products",
        [
            "version?": .string.about("The version that the catalog file gives."),
            "locale?": .string.about("The requested language."), "products": .list(of: product),
            "subscriptionGroups": .list(of: subscriptionGroup), "features": .list(of: feature),
        ])

    private static let product = named(
        "Product",
        [
            "id": .string, "type?": .string, "displayName?": .string, "description?": .string,
            "localizations?": .list(
                of: named(
                    "Localization", ["locale": .string, "displayName?": .string, "description?": .string])),
            "price?": .string.about("A decimal number."), "currency?": .string,
            "displayPrice?": .string.about("The price in the requested language."), "familyShareable?": .bool,
            "subscriptionGroupID?": .string, "groupLevel?": .int, "period?": .string.about("An ISO 8601 duration."),
            "periodText?": .string.about("The period in the requested language."), "offers?": .list(of: offer),
            "billingPlans?": .list(of: billingPlan), "accessDuration?": .string, "stacking?": .string,
            "grants?": .map(of: .int).about("Units by balance."),
        ])

    private static let offer = named(
        "Offer",
        [
            "kind": offerKind, "id?": .string, "paymentMode?": paymentMode, "period?": .string, "periodText?": .string,
            "periodCount": .int, "price?": .string, "displayPrice?": .string, "billingPlan?": .string,
            "eligibility?": .list(of: .words(SubscriptionOffer.CustomerEligibility.allCases.map(\.word))),
            "stackable?": .bool, "eligible?": .bool,
        ])

    private static let billingPlan = named(
        "BillingPlan",
        [
            "type": .string, "price?": .string, "commitmentPrice?": .string, "displayPrice?": .string,
            "enabled?": .bool,
        ])

    private static let subscriptionGroup = named(
        "SubscriptionGroup",
        [
            "id": .string, "name?": .string, "displayName?": .string.about("The name in the requested language."),
            "localizations?": .list(
                of: named(
                    "GroupLocalization",
                    [
                        "locale": .string, "displayName?": .string, "customAppName?": .string, "description?": .string,
                    ])),
            "products": .list(of: .string).about("The highest service first."),
        ])

    private static let feature = named("Feature", ["id": .string, "products": .list(of: .string)])

    // MARK: Answers

    static let entitlements = named(
        "Entitlements",
        [
            "at": .time, "verified": .bool, "nextChange?": .time, "products": .list(of: productAnswer),
            "groups": .list(of: groupAnswer), "features": .list(of: featureAnswer), "consumables": .list(of: account),
            "diagnostics": diagnostics,
        ])

    private static let productAnswer = named(
        "ProductAnswer",
        [
            "id": .string, "type?": .string, "answer": answerWord, "reason": .string, "ownership?": .string,
            "transactionID?": .string, "originalTransactionID?": .string, "since?": .time, "until?": .time,
            "environment?": .string, "subscriptionGroupID?": .string, "groupLevel?": .int, "offer?": transactionOffer,
            "grantedUntil?": grantEnd,
        ])

    private static let transactionOffer = named(
        "TransactionOffer", about: "The offer of the deciding transaction, or of a renewal that is due.",
        [
            "kind": .string.about("introductory, promotional, code, winBack, retention, or a number."),
            "paymentMode?": .string.about("freeTrial, payAsYouGo, payUpFront, oneTime, or another."), "id?": .string,
        ])

    private static let grantEnd = named(
        "GrantEnd",
        about: "The end of access that was granted without a purchase; absent if none was, or it has ended.", dateTime)

    static let featureAnswer = named(
        "FeatureAnswer",
        [
            "id": .string, "answer": answerWord, "reason": .string, "by?": .string.about("The product that decides."),
            "until?": .time, "grantedUntil?": grantEnd,
        ])

    static let groupAnswer = named(
        "GroupAnswer", ["id": .string, "highest?": status, "statuses": .list(of: status)])

    private static let status = named(
        "Status",
        [
            "productID": .string, "state": .words(of: RenewalState.self), "originalTransactionID": .string,
            "entitled": .bool, "groupLevel?": .int, "ownership": .string, "willAutoRenew?": .bool,
            "autoRenewProductID?": .string, "expires?": .time, "gracePeriodExpires?": .time, "inBillingRetry?": .bool,
            "expirationReason?": .string, "priceIncrease?": .words("pending", "agreed"),
            "renewalPrice?": .string.about("The price of the next renewal, as a decimal number."),
            "currency?": .string.about("ISO 4217."),
        ])

    private static let account = named(
        "Account",
        [
            "id": .string, "credited": .int64, "spent": .int64, "clawedBack": .int64, "restored": .int64,
            "balance": .int64,
        ])

    static let check = named(
        "Check",
        [
            "customer?": .string.about("The customer; only if the request names several."), "at?": .time,
            "answer": answerWord, "reason": .string, "until?": .time,
            "by?": .string.about("The product that decides the answer about a feature."), "ownership?": .string,
            "transactionID?": .string, "verified": .bool,
        ])

    static let explanation = named(
        "Explanation",
        [
            "answer": answerWord, "reason": .string, "transactionID?": .string, "steps": .list(of: explanationStep),
            "next?": nextAnswer, "verified": .bool, "diagnostics": diagnostics,
        ])

    private static let explanationStep = named(
        "ExplanationStep", ["at": .time, "fact": .string, "effect": .string, "rule": .string])

    private static let nextAnswer = named(
        "NextAnswer", about: "What is due next, and the answer from then on.",
        [
            "at": .time, "event": .words(of: Upcoming.Event.self), "productID": .string,
            "from?": .string.about("The product that the subscription has until then."), "price?": .string,
            "currency?": .string, "offer?": transactionOffer, "expirationReason?": .string, "answer?": answerWord,
            "reason?": .string,
            "otherwise?": (["answer": answerWord, "reason": .string] as Schema).about(
                "The answer if a renewal that is due does not arrive."),
            "text": .string.about("The event in English."),
        ])

    static let timelines = named(
        "Timelines",
        [
            "products": .list(of: timeline), "features": .list(of: timeline), "verified": .bool,
            "diagnostics": diagnostics,
        ])

    private static let timeline = named(
        "Timeline",
        [
            "id": .string,
            "segments": .list(
                of: named("Segment", ["from?": .time, "to?": .time, "answer": answerWord, "reason": .string])),
        ])

    // MARK: Offers

    private static let offerWord = named("OfferWord", words("eligible", "ineligible", "unknown"))

    static let offers = named(
        "Offers",
        [
            "at": .time, "verified": .bool, "groups": .list(of: offerGroup), "offers": .list(of: offerAnswer),
            "diagnostics": diagnostics,
        ])

    private static let offerGroup = named(
        "OfferGroup",
        [
            "id": .string, "name?": .string,
            "introductory": named(
                "IntroductoryAnswer", about: "Whether the customer may have introductory offers of the group.",
                ["answer": offerWord, "reason": .string, "until?": .time]),
            "statuses": .list(
                of: named(
                    "LinkedStatus",
                    ["productID": .string, "state": .string, "ownership": .string, "links?": .list(of: link)])),
        ])

    private static let link = named(
        "Link", about: "A page of Apple on which the customer can act.",
        ["kind": .words(of: AppStoreLink.self), "url": .string])

    private static let offerAnswer = named(
        "OfferAnswer",
        [
            "productID": .string, "subscriptionGroupID?": .string, "kind": offerKind, "id?": .string,
            "paymentMode?": paymentMode, "period?": .string, "periodCount": .int, "price?": .string,
            "currency?": .string, "answer": offerWord, "reason": .string, "until?": .time,
            "steps": .list(of: explanationStep),
        ])

    static let offerSignature = named(
        "OfferSignature",
        about: "For a promotional offer the original form of its signature if the request has an account, and the JWS "
            + "if it has a transactionID; for an introductory offer the JWS, whether it allows the offer, and the "
            + "answer by the rules.",
        [
            "product": .string, "offer": .string, "allowed?": .bool, "answer?": offerWord, "reason?": .string,
            "keyID?": .string, "nonce": .string, "timestamp?": .int64.about("Milliseconds since 1970."),
            "signature?": .string.about("The original form, DER in base64."), "jws?": .string.about("The compact JWS."),
            "until?": .time,
        ])

    // MARK: Accounts

    static let balance = named("BalanceRow", ["id": .string, "balance": .int64])

    static let receipt = named(
        "Receipt", ["customer?": .string, "balance": .int64, "receipt": .string, "replayed": .bool])

    static let accessGrant = named(
        "AccessGrant", about: "Access without a purchase; it has a productID or a feature.",
        [
            "key": .string, "productID?": .string, "feature?": .string, "grantedAt": .time, "until": .time,
            "reason": .string, "recordedBy?": .string.about("The name of the key that granted it."),
            "revokedAt?": .time, "revocationReason?": .string,
            "revokedBy?": .string.about("The name of the key that revoked it."),
        ])

    static let grantReceipt = named(
        "GrantReceipt", ["customer": .string, "grant": .accessGrant, "replayed": .bool])

    static let intake = named(
        "Intake",
        [
            "items": .int, "new": .int, "known": .int, "parked": .int,
            "conflicts": .list(of: .string).about("Original transaction ids."),
            "failures": .list(of: .string).about(
                "Error codes, as in storekeeper verify; of a receipt also noPurchase and unknownTransaction."),
            "unverifiedReceipts?": .list(of: .string).about(
                "The error codes of receipts that are not verified: their purchases were stored, and those without an "
                    + "owner were not assigned to the customer, because the key lacks the scope claim. Absent if there "
                    + "are none."),
        ])

    static let parked = named(
        "Parked",
        [
            "since": .time, "reason": .string, "transactionID?": .string, "originalTransactionID": .string,
            "productID?": .string,
        ])

    // MARK: The service

    static let publicKey = named(
        "PublicKey",
        [
            "kty": .string, "crv": .string, "alg": .string, "use": .string, "kid": .string, "x": .string, "y": .string,
        ])

    static let health = named(
        "Health",
        [
            "status": .string,
            "lastNotification?": .time.about(
                "When this process received the last valid notification; absent before the first one."),
        ])

    // MARK: Events

    static let event = named(
        "Event", about: "The data of a server-sent event.", either(changeEvent, notificationEvent))

    private static let eventType = named(
        "EventType", about: "The name of a server-sent event, and the type of a webhook's message.",
        words(["change"] + StoreEvent.Notification.Kind.allCases.map(\.rawValue)))

    private static let notificationEvent = named(
        "NotificationEvent",
        about: "A notification of the App Store about which your server must do something itself.",
        [
            "at": .time, "sequence": .int64,
            "customer?": .string.about("Absent if the notification names no customer."), "type": eventType,
            "notification": .string.about("The type and subtype, such as REFUND/SEATS."), "uuid?": .string,
            "productID?": .string, "transactionID?": .string, "due?": .time,
            "reason?": .string.about("The reason of a consumption request."),
            "seatClaims?": .list(of: .string).about("The ids of the ended seat claims."),
            "appTransactionID?": .string.about("The download of the child whose guardian withdrew."),
        ])

    private static let changeEvent = named(
        "ChangeEvent", about: "A change of an answer.",
        [
            "at": .time, "sequence": .int64, "customer": .string,
            "subject": named(
                "EventSubject", about: "Exactly one member is present.",
                ["product?": .string, "feature?": .string, "group?": .string]),
            "before": eventAnswer, "after": eventAnswer,
        ])

    private static let eventAnswer = named(
        "EventAnswer",
        [
            "answer": .string.about("An AnswerWord; for a group, its state."), "reason": .string, "productID?": .string,
            "transactionID?": .string, "until?": .time,
        ])

    static let webhookMessage = named(
        "WebhookMessage",
        about: "The body of a webhook. Its id, in the header webhook-id, is the id of the event in the stream, and the "
            + "same for each attempt.",
        ["type": eventType, "timestamp": .time, "data": .event])

    static let webhook = named(
        "Webhook",
        [
            "webhook": .string.about("The name."), "url?": .string.about("Absent if this process does not post to it."),
            "queuedThrough": .int64.about("The last event that was queued."),
            "waiting": .int.about("Customers with undelivered events, at most 10,000."),
            "failing": .int.about("Customers whose next event has failed, at most 10,000."), "failingSince?": .time,
            "parked": .int.about("Messages that were given up, at most 10,000."), "stoppedAt?": .time,
            "reason?": .string.about("Why nothing is posted."),
        ])

    static let webhookAttempt = named(
        "WebhookAttempt",
        [
            "webhook": .string, "at": .time, "message": .eventID, "customer": .string,
            "attempt": .int.about("1 for the first."), "outcome": .words(of: WebhookAttempt.Outcome.self),
            "status?": .int.about("The HTTP status; absent without a response."), "problem?": .string,
            "milliseconds": .int64,
        ])

    static let parkedWebhook = named(
        "ParkedWebhook",
        [
            "webhook": .string, "message": .eventID, "customer": .string, "since": .time, "attempts": .int,
            "problem?": .string,
        ])
}

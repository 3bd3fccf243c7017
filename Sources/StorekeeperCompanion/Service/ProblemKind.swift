extension Problem {
    /// What all problems with one code have in common.
    ///
    /// Each code is declared once, with its remedy, and its cause if that is not the title.
    struct Kind: Hashable, Sendable {
        /// The HTTP status; `nil` if it differs.
        let status: Int?
        /// The machine-readable code, which is also the last path component of the problem's type URI.
        let code: String
        /// A short description.
        let title: String
        /// What the desk tells a person, by language, with names in braces for values; empty if it shows the title.
        let meanings: [DeskLanguage: String]

        init(_ status: Int?, _ code: String, _ title: String) {
            (self.status, self.code, self.title, meanings) = (status, code, title, [:])
        }

        init(_ status: Int?, _ code: String, _ title: String, english: String, german: String) {
            (self.status, self.code, self.title) = (status, code, title)
            meanings = [.english: english, .german: german]
        }
    }
}

extension Problem.Kind {
    /// Remedy: Send the form from the page of the service.
    static let foreignOrigin = Self(403, "foreignOrigin", "The form was sent from a page of another site")
    /// Remedy: Wait until the vault can be used; the log contains the reason.
    static let notReady = Self(503, "notReady", "The vault is unavailable")
    /// With `--revocation hard`, the responders of the certificates' issuers could not be asked.
    ///
    /// Remedy: Send it again after `Retry-After`; the App Store sends notifications again by itself.
    static let revocationUnknown = Self(503, "revocationUnknown", "The certificates could not be checked")
    /// The app's handler for notifications failed.
    ///
    /// Remedy: Send the notification again; the App Store does so by itself.
    static let handlerFailed = Self(503, "handlerFailed", "The app's handler failed")
    /// Remedy: Send the notification again; the App Store does so by itself.
    static let notProcessed = Self(503, "notProcessed", "The notification was not processed")
    /// Remedy: Send the notification again; the App Store does so by itself.
    static let notWritten = Self(503, "notWritten", "The vault could not write")
    /// Remedy: Send the `jwsRepresentation` of StoreKit, and check the root, the app and the environment.
    static let notBelieved = Self(422, "notBelieved", "No transaction could be verified")
    /// Remedy: Set `APP_STORE_PRIVATE_KEY_FILE`, `APP_STORE_KEY_ID` and `APP_STORE_ISSUER_ID`, and send the receipt
    /// again.
    static let noAppStore = Self(422, "noAppStore", "Receipts are not exchanged")
    /// Remedy: Send the receipt again later; the log contains the reason.
    static let appStoreUnavailable = Self(503, "appStoreUnavailable", "The App Store did not answer")
    /// The purchase, token or account belongs to another customer.
    ///
    /// Remedy: Check who the caller is; only an operator moves a purchase, with a reason.
    static let claimed = Self(409, "claimed", "The purchase or token belongs to another customer")
    /// Remedy: Submit the customer's transactions, or claim the token, before an offer is signed.
    static let unclaimed = Self(409, "unclaimed", "The account or transaction is not known to be the customer's")
    /// Remedy: Check the id, or submit the purchase's transactions first.
    static let unknownPurchase = Self(404, "unknownPurchase", "Unknown purchase")
    /// Remedy: Start the service with `--lease-key`.
    static let noLeases = Self(404, "noLeases", "Leases are disabled")
    /// Remedy: Start the service with `--offer-key`, `--offer-key-id` and `--offer-issuer-id`.
    static let noOffers = Self(404, "noOffers", "Signing offers is disabled")
    /// Remedy: Submit the customer's transactions, or read the history with `storekeeper fetch`.
    static let undecided = Self(409, "undecided", "It cannot be told whether the customer may have the offer")
    /// Remedy: Show the customer another offer; `detail` has the reason.
    static let ineligible = Self(409, "ineligible", "The customer may not have the offer")
    /// Remedy: Check the name; the service adds a webhook of `serve.webhooks` when it starts.
    static let unknownWebhook = Self(404, "unknownWebhook", "Unknown webhook")
    /// Remedy: Correct the request as `detail` says.
    static let badRequest = Self(400, "badRequest", "The request is malformed")
    /// Remedy: Send it in parts.
    static let tooLarge = Self(413, "tooLarge", "The request body is too large")
    /// Remedy: Send it again after `Retry-After`; nothing was changed.
    static let busy = Self(503, "busy", "The service is busy")
    /// Remedy: Send it again; nothing was changed.
    static let tooSlow = Self(408, "tooSlow", "The request body timed out")
    /// Remedy: Set Content-Type to the type that `detail` names.
    static let unsupportedType = Self(415, "unsupportedType", "Unsupported content type")
    /// Remedy: Check the address; `/openapi.yaml` lists all.
    static let notFound = Self(404, "notFound", "Unknown path")
    /// Remedy: Use one of the methods in `Allow`.
    static let wrongMethod = Self(405, "wrongMethod", "Method not allowed")
    /// Remedy: Check the spelling of the id.
    static let unknownCustomer = Self(404, "unknownCustomer", "Unknown customer")
    /// Remedy: Request the state that you keep again, and continue after `newest`.
    static let cursorGone = Self(410, "cursorGone", "The vault does not have this event")
    /// Remedy: Add the header `Authorization: Bearer KEY`.
    static let keyMissing = Self(
        401, "keyMissing", "No API key", english: "No access key was sent.",
        german: "Es wurde kein Schlüssel gesendet.")
    /// Remedy: Check the key, or create one with `storekeeper serve --new-key`.
    static let keyUnknown = Self(
        401, "keyUnknown", "Unknown API key", english: "The service does not know this access key.",
        german: "Der Dienst kennt diesen Schlüssel nicht.")
    /// Remedy: Create a new key with `storekeeper serve --new-key`.
    static let keyExpired = Self(
        401, "keyExpired", "The API key has expired", english: "The access key has expired.",
        german: "Der Schlüssel ist abgelaufen.")
    /// Remedy: Use a key with the scope that `detail` names.
    static let keyForbidden = Self(
        403, "keyForbidden", "The API key lacks the required scope",
        english: "Your key has the scope {own}. This page needs the scope {scope}.",
        german: "Ihr Schlüssel hat die Berechtigung {own}. Diese Seite braucht die Berechtigung {scope}.")
    /// Remedy: Wait as long as `Retry-After` says, or raise the rate of the key.
    static let tooManyRequests = Self(429, "tooManyRequests", "Too many requests")
    /// Remedy: A consumable is not owned; grant units of its balance.
    static let consumable = Self(400, "consumable", "A consumable is not owned")
    /// Remedy: Try again with the same `Idempotency-Key`; the log contains the reason.
    static let vaultUnavailable = Self(503, "vaultUnavailable", "The vault is unavailable")
    /// Remedy: Use a separate `Idempotency-Key` for each request.
    static let keyReused = Self(422, "keyReused", "The Idempotency-Key was used for another request")
    /// Remedy: List the customer's grants; nothing was changed.
    static let unknownGrant = Self(404, "unknownGrant", "Unknown grant")
    /// The balance is too small.
    ///
    /// Remedy: Nothing was changed; `balance` is the balance. To try again after a purchase, use another key.
    static let insufficient = Self(409, "insufficient", "The balance is too small")
    /// Remedy: Grant or sell units until no balance is below zero.
    static let frozen = Self(409, "frozen", "The balance is frozen")
    /// Remedy: Correct the request as `detail` says.
    static let refused = Self(nil, "refused", "The request was refused")
    /// Remedy: Try again.
    static let unavailable = Self(503, "unavailable", "The service cannot answer now")
    /// There is no such product.
    ///
    /// Remedy: Check the spelling, or add the product to a catalog.
    static let unknownProduct = Self(404, "unknownProduct", "Unknown product")
    /// There is no such feature.
    ///
    /// Remedy: Check the spelling, or add the feature to a catalog.
    static let unknownFeature = Self(404, "unknownFeature", "Unknown feature")
    /// There is no such balance.
    ///
    /// Remedy: Check the spelling, or add the balance to a catalog.
    static let unknownBalance = Self(404, "unknownBalance", "Unknown balance")
    /// There is no such offer.
    ///
    /// Remedy: Check the spelling, or add the promotional offer to a catalog.
    static let unknownOffer = Self(404, "unknownOffer", "Unknown offer")
}

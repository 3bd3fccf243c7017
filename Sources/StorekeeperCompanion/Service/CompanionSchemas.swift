/// The schemas of requests and responses in the OpenAPI document.
///
/// Each object lists all its members, so that code generators can create types. Any release may add members.
enum CompanionSchemas {
    /// The schemas of requests.
    static let requests = #"""
            Instant:
              description: >-
                A time with a zone, such as 2026-03-01T09:30:00Z, or milliseconds since 1970. The default of 'at' is
                the current time: the later of the service's clock and the newest signature of the customer's
                evidence, if that is at most 60 seconds ahead.
              type: string
              anyOf: [{format: date-time}, {pattern: "^-?[0-9]{1,15}$"}]
            Notification:
              type: object
              required: [signedPayload]
              properties:
                signedPayload: {type: string}
            Transactions:
              type: object
              additionalProperties: false
              required: [transactions]
              properties:
                transactions:
                  description: >-
                    Compact JWS, or receipts of the original StoreKit in base64 (at most 10), which the service
                    exchanges for the transactions that the App Store has signed.
                  type: array
                  minItems: 1
                  items: {type: string}
            Spend:
              type: object
              additionalProperties: false
              required: [quantity]
              properties:
                quantity: {type: integer, format: int64, minimum: 1}
            Grant:
              type: object
              additionalProperties: false
              required: [quantity, reason]
              properties:
                quantity: {type: integer, format: int64, minimum: 1}
                reason: {type: string, minLength: 1}
            GrantAccess:
              type: object
              additionalProperties: false
              required: [until, reason]
              properties:
                feature: {type: string, minLength: 1}
                product: {description: "Any product except a consumable.", type: string, minLength: 1}
                until: {$ref: "#/components/schemas/Instant"}
                reason: {type: string, minLength: 1}
              oneOf: [{required: [feature]}, {required: [product]}]
            DeskGrant:
              type: object
              additionalProperties: false
              required: [customer, subject, until, reason, key]
              properties:
                customer: {type: string, minLength: 1}
                subject: {description: "'feature:' or 'product:' and the id.", type: string, minLength: 1}
                until: {type: string, minLength: 1}
                reason: {type: string, minLength: 1}
                key: {type: string, minLength: 1}
            DeskRevocation:
              type: object
              additionalProperties: false
              required: [customer, key, reason]
              properties:
                customer: {type: string, minLength: 1}
                key: {type: string, minLength: 1}
                reason: {type: string, minLength: 1}
            DeskCustomer:
              type: object
              additionalProperties: false
              required: [customer]
              properties:
                customer: {type: string, minLength: 1}
            DeskClaim:
              type: object
              additionalProperties: false
              required: [customer, purchase]
              properties:
                customer: {type: string, minLength: 1}
                purchase: {description: An original transaction id or a token., type: string, minLength: 1}
            DeskTransfer:
              type: object
              additionalProperties: false
              required: [customer, purchase, reason]
              properties:
                customer: {type: string, minLength: 1}
                purchase: {description: An original transaction id or a token., type: string, minLength: 1}
                reason: {type: string, minLength: 1}
            DeskErasure:
              type: object
              additionalProperties: false
              required: [customer, typed, reason]
              properties:
                customer: {type: string, minLength: 1}
                typed: {description: "The id again; anything else erases nothing.", type: string, minLength: 1}
                reason: {type: string, minLength: 1}
            DeskWebhook:
              type: object
              additionalProperties: false
              required: [webhook]
              properties:
                webhook: {type: string, minLength: 1}
            Checks:
              type: object
              additionalProperties: false
              required: [customers]
              properties:
                customers: {type: array, minItems: 1, maxItems: 1000, items: {type: string, minLength: 1}}
                feature: {type: string, minLength: 1}
                product: {type: string, minLength: 1}
                at: {$ref: "#/components/schemas/Instant"}
              oneOf: [{required: [feature]}, {required: [product]}]
            OfferRequest:
              type: object
              additionalProperties: false
              required: [product]
              properties:
                product: {type: string, minLength: 1}
                kind:
                  description: >-
                    Of an introductory offer the path has the word introductory as id; transactionID is required.
                  type: string
                  enum: [promotional, introductory]
                  default: promotional
                allow:
                  description: >-
                    Whether the customer gets the introductory offer, whatever the rules say; absent to follow them.
                  type: boolean
                account:
                  description: >-
                    For the original form: the customer's id, or an appAccountToken that belongs to the customer. A
                    promotional offer needs this member or transactionID.
                  type: string
                  minLength: 1
                transactionID:
                  description: >-
                    For the JWS: any transaction of the customer, or their app transaction id, that the vault knows.
                  type: string
                  minLength: 1
            WebhookReplay:
              type: object
              additionalProperties: false
              properties:
                after: {$ref: "#/components/schemas/EventID"}
                customer: {description: "With after: only events about this customer.", type: string, minLength: 1}
                parked: {description: "The parked messages, and the later events of their customers.", type: boolean, const: true}
              oneOf: [{required: [after]}, {required: [parked]}]
            Claim:
              type: object
              additionalProperties: false
              properties:
                originalTransactionID: {type: string, minLength: 1}
                environment: {type: string, minLength: 1}
                token: {type: string, format: uuid}
              oneOf: [{required: [originalTransactionID]}, {required: [token]}]
            Transfer:
              type: object
              additionalProperties: false
              required: [reason]
              properties:
                originalTransactionID: {type: string, minLength: 1}
                environment: {type: string, minLength: 1}
                token: {type: string, format: uuid}
                reason: {type: string, minLength: 1, maxLength: 1024}
              oneOf: [{required: [originalTransactionID]}, {required: [token]}]


        """#

    /// The schemas of responses.
    ///
    /// Absent values are omitted, never null.
    static let answers = ##"""
            Problem:
              type: object
              required: [type, title, status, detail]
              properties:
                type: {type: string}
                title: {type: string}
                status: {type: integer}
                detail: {type: string}
                balance: {description: "For insufficient: the current balance.", type: integer, format: int64}
                holder: {description: "For claimed: the customer who owns it.", type: string}
                failures: {description: "If the code is notBelieved: the error code of each item.", type: array, items: {type: string}}
                cause: {description: "For a notification: the error code, as in storekeeper verify.", type: string}
                newest: {$ref: "#/components/schemas/EventID"}
            Time: {description: "UTC, with milliseconds.", type: string, format: date-time}
            EventID:
              description: The id of an event; 410 if the vault does not have this event.
              type: string
              pattern: "\##(FeedCursor.pattern)"
            AnswerWord: {type: string, enum: [entitled, pending, lapsed, never, unknown]}
            Diagnostic:
              type: object
              required: [severity, code, message]
              properties:
                severity: {type: string}
                code: {type: string}
                subject: {type: string}
                message: {type: string}
                location: {type: string}
            Diagnostics: {type: array, items: {$ref: "#/components/schemas/Diagnostic"}}
            Products:
              type: object
              required: [products, subscriptionGroups, features]
              properties:
                version: {description: "The version that the catalog file gives.", type: string}
                locale: {description: "The requested language.", type: string}
                products: {type: array, items: {$ref: "#/components/schemas/Product"}}
                subscriptionGroups: {type: array, items: {$ref: "#/components/schemas/SubscriptionGroup"}}
                features: {type: array, items: {$ref: "#/components/schemas/Feature"}}
            Product:
              type: object
              required: [id]
              properties:
                id: {type: string}
                type: {type: string}
                displayName: {type: string}
                description: {type: string}
                localizations: {type: array, items: {$ref: "#/components/schemas/Localization"}}
                price: {description: "A decimal number.", type: string}
                currency: {type: string}
                displayPrice: {description: "The price in the requested language.", type: string}
                familyShareable: {type: boolean}
                subscriptionGroupID: {type: string}
                groupLevel: {type: integer}
                period: {description: "An ISO 8601 duration.", type: string}
                periodText: {description: "The period in the requested language.", type: string}
                offers: {type: array, items: {$ref: "#/components/schemas/Offer"}}
                billingPlans: {type: array, items: {$ref: "#/components/schemas/BillingPlan"}}
                accessDuration: {type: string}
                stacking: {type: string}
                grants: {description: "Units by balance.", type: object, additionalProperties: {type: integer}}
            Localization:
              type: object
              required: [locale]
              properties:
                locale: {type: string}
                displayName: {type: string}
                description: {type: string}
            Offer:
              type: object
              required: [kind, periodCount]
              properties:
                kind: {type: string, enum: [introductory, promotional, code, winBack]}
                id: {type: string}
                paymentMode: {type: string, enum: [freeTrial, payAsYouGo, payUpFront, oneTime]}
                period: {type: string}
                periodText: {type: string}
                periodCount: {type: integer}
                price: {type: string}
                displayPrice: {type: string}
                billingPlan: {type: string}
                eligibility: {type: array, items: {type: string, enum: [new, existing, lapsed]}}
                stackable: {type: boolean}
                eligible: {type: boolean}
            BillingPlan:
              type: object
              required: [type]
              properties:
                type: {type: string}
                price: {type: string}
                commitmentPrice: {type: string}
                displayPrice: {type: string}
                enabled: {type: boolean}
            SubscriptionGroup:
              type: object
              required: [id, products]
              properties:
                id: {type: string}
                name: {type: string}
                displayName: {description: "The name in the requested language.", type: string}
                localizations: {type: array, items: {$ref: "#/components/schemas/GroupLocalization"}}
                products: {description: "The highest service first.", type: array, items: {type: string}}
            GroupLocalization:
              type: object
              required: [locale]
              properties:
                locale: {type: string}
                displayName: {type: string}
                customAppName: {type: string}
                description: {type: string}
            Feature:
              type: object
              required: [id, products]
              properties:
                id: {type: string}
                products: {type: array, items: {type: string}}
            Entitlements:
              type: object
              required: [at, verified, products, groups, features, consumables, diagnostics]
              properties:
                at: {$ref: "#/components/schemas/Time"}
                verified: {type: boolean}
                nextChange: {$ref: "#/components/schemas/Time"}
                products: {type: array, items: {$ref: "#/components/schemas/ProductAnswer"}}
                groups: {type: array, items: {$ref: "#/components/schemas/GroupAnswer"}}
                features: {type: array, items: {$ref: "#/components/schemas/FeatureAnswer"}}
                consumables: {type: array, items: {$ref: "#/components/schemas/Account"}}
                diagnostics: {$ref: "#/components/schemas/Diagnostics"}
            FeatureAnswers:
              type: object
              required: [at, verified, features]
              properties:
                at: {$ref: "#/components/schemas/Time"}
                verified: {type: boolean}
                features: {type: array, items: {$ref: "#/components/schemas/FeatureAnswer"}}
            GroupAnswers:
              type: object
              required: [at, verified, groups]
              properties:
                at: {$ref: "#/components/schemas/Time"}
                verified: {type: boolean}
                groups: {type: array, items: {$ref: "#/components/schemas/GroupAnswer"}}
            ProductAnswer:
              type: object
              required: [id, answer, reason]
              properties:
                id: {type: string}
                type: {type: string}
                answer: {$ref: "#/components/schemas/AnswerWord"}
                reason: {type: string}
                ownership: {type: string}
                transactionID: {type: string}
                originalTransactionID: {type: string}
                since: {$ref: "#/components/schemas/Time"}
                until: {$ref: "#/components/schemas/Time"}
                environment: {type: string}
                subscriptionGroupID: {type: string}
                groupLevel: {type: integer}
                offer: {$ref: "#/components/schemas/TransactionOffer"}
                grantedUntil: {$ref: "#/components/schemas/GrantEnd"}
            TransactionOffer:
              description: The offer of the deciding transaction, or of a renewal that is due.
              type: object
              required: [kind]
              properties:
                kind: {description: "introductory, promotional, code, winBack, retention, or a number.", type: string}
                paymentMode: {description: "freeTrial, payAsYouGo, payUpFront, oneTime, or another.", type: string}
                id: {type: string}
            GrantEnd:
              description: The end of access that was granted without a purchase; absent if none was, or it has ended.
              type: string
              format: date-time
            FeatureAnswer:
              type: object
              required: [id, answer, reason]
              properties:
                id: {type: string}
                answer: {$ref: "#/components/schemas/AnswerWord"}
                reason: {type: string}
                by: {description: "The product that decides.", type: string}
                until: {$ref: "#/components/schemas/Time"}
                grantedUntil: {$ref: "#/components/schemas/GrantEnd"}
            GroupAnswer:
              type: object
              required: [id, statuses]
              properties:
                id: {type: string}
                highest: {$ref: "#/components/schemas/Status"}
                statuses: {type: array, items: {$ref: "#/components/schemas/Status"}}
            Status:
              type: object
              required: [productID, state, originalTransactionID, entitled, ownership]
              properties:
                productID: {type: string}
                state: {type: string, enum: [subscribed, expired, inBillingRetryPeriod, inGracePeriod, revoked]}
                originalTransactionID: {type: string}
                entitled: {type: boolean}
                groupLevel: {type: integer}
                ownership: {type: string}
                willAutoRenew: {type: boolean}
                autoRenewProductID: {type: string}
                expires: {$ref: "#/components/schemas/Time"}
                gracePeriodExpires: {$ref: "#/components/schemas/Time"}
                inBillingRetry: {type: boolean}
                expirationReason: {type: string}
                priceIncrease: {type: string, enum: [pending, agreed]}
                renewalPrice: {description: "The price of the next renewal, as a decimal number.", type: string}
                currency: {description: "ISO 4217.", type: string}
            Account:
              type: object
              required: [id, credited, spent, clawedBack, restored, balance]
              properties:
                id: {type: string}
                credited: {type: integer, format: int64}
                spent: {type: integer, format: int64}
                clawedBack: {type: integer, format: int64}
                restored: {type: integer, format: int64}
                balance: {type: integer, format: int64}
            Check:
              type: object
              required: [answer, reason, verified]
              properties:
                customer: {description: "The customer; only if the request names several.", type: string}
                at: {$ref: "#/components/schemas/Time"}
                answer: {$ref: "#/components/schemas/AnswerWord"}
                reason: {type: string}
                until: {$ref: "#/components/schemas/Time"}
                by: {description: "The product that decides the answer about a feature.", type: string}
                ownership: {type: string}
                transactionID: {type: string}
                verified: {type: boolean}
            CheckAnswers:
              type: object
              required: [at, checks]
              properties:
                at: {$ref: "#/components/schemas/Time"}
                checks: {type: array, items: {$ref: "#/components/schemas/Check"}}
            Explanation:
              type: object
              required: [answer, reason, steps, verified, diagnostics]
              properties:
                answer: {$ref: "#/components/schemas/AnswerWord"}
                reason: {type: string}
                transactionID: {type: string}
                steps: {type: array, items: {$ref: "#/components/schemas/ExplanationStep"}}
                next: {$ref: "#/components/schemas/NextAnswer"}
                verified: {type: boolean}
                diagnostics: {$ref: "#/components/schemas/Diagnostics"}
            ExplanationStep:
              type: object
              required: [at, fact, effect, rule]
              properties:
                at: {$ref: "#/components/schemas/Time"}
                fact: {type: string}
                effect: {type: string}
                rule: {type: string}
            NextAnswer:
              description: What is due next, and the answer from then on.
              type: object
              required: [at, event, productID, text]
              properties:
                at: {$ref: "#/components/schemas/Time"}
                event:
                  type: string
                  enum:
                    - renewal
                    - planChange
                    - beginning
                    - consent
                    - end
                    - periodEnd
                    - gracePeriod
                    - billingRetry
                    - gracePeriodEnd
                    - billingRetryEnd
                    - revocation
                    - change
                productID: {type: string}
                from: {description: "The product that the subscription has until then.", type: string}
                price: {type: string}
                currency: {type: string}
                offer: {$ref: "#/components/schemas/TransactionOffer"}
                expirationReason: {type: string}
                answer: {$ref: "#/components/schemas/AnswerWord"}
                reason: {type: string}
                otherwise:
                  description: The answer if a renewal that is due does not arrive.
                  type: object
                  required: [answer, reason]
                  properties:
                    answer: {$ref: "#/components/schemas/AnswerWord"}
                    reason: {type: string}
                text: {description: "The event in English.", type: string}
            Timelines:
              type: object
              required: [products, features, verified, diagnostics]
              properties:
                products: {type: array, items: {$ref: "#/components/schemas/Timeline"}}
                features: {type: array, items: {$ref: "#/components/schemas/Timeline"}}
                verified: {type: boolean}
                diagnostics: {$ref: "#/components/schemas/Diagnostics"}
            Timeline:
              type: object
              required: [id, segments]
              properties:
                id: {type: string}
                segments: {type: array, items: {$ref: "#/components/schemas/Segment"}}
            Segment:
              type: object
              required: [answer, reason]
              properties:
                from: {$ref: "#/components/schemas/Time"}
                to: {$ref: "#/components/schemas/Time"}
                answer: {$ref: "#/components/schemas/AnswerWord"}
                reason: {type: string}
            Offers:
              type: object
              required: [at, verified, groups, offers, diagnostics]
              properties:
                at: {$ref: "#/components/schemas/Time"}
                verified: {type: boolean}
                groups: {type: array, items: {$ref: "#/components/schemas/OfferGroup"}}
                offers: {type: array, items: {$ref: "#/components/schemas/OfferAnswer"}}
                diagnostics: {$ref: "#/components/schemas/Diagnostics"}
            OfferGroup:
              type: object
              required: [id, introductory, statuses]
              properties:
                id: {type: string}
                name: {type: string}
                introductory: {$ref: "#/components/schemas/IntroductoryAnswer"}
                statuses: {type: array, items: {$ref: "#/components/schemas/LinkedStatus"}}
            IntroductoryAnswer:
              description: Whether the customer may have introductory offers of the group.
              type: object
              required: [answer, reason]
              properties:
                answer: {$ref: "#/components/schemas/OfferWord"}
                reason: {type: string}
                until: {$ref: "#/components/schemas/Time"}
            LinkedStatus:
              type: object
              required: [productID, state, ownership]
              properties:
                productID: {type: string}
                state: {type: string}
                ownership: {type: string}
                links: {type: array, items: {$ref: "#/components/schemas/Link"}}
            Link:
              description: A page of Apple on which the customer can act.
              type: object
              required: [kind, url]
              properties:
                kind: {type: string, enum: [manage, billing, refund]}
                url: {type: string}
            OfferWord: {type: string, enum: [eligible, ineligible, unknown]}
            OfferAnswer:
              type: object
              required: [productID, kind, periodCount, answer, reason, steps]
              properties:
                productID: {type: string}
                subscriptionGroupID: {type: string}
                kind: {type: string, enum: [introductory, promotional, code, winBack]}
                id: {type: string}
                paymentMode: {type: string, enum: [freeTrial, payAsYouGo, payUpFront, oneTime]}
                period: {type: string}
                periodCount: {type: integer}
                price: {type: string}
                currency: {type: string}
                answer: {$ref: "#/components/schemas/OfferWord"}
                reason: {type: string}
                until: {$ref: "#/components/schemas/Time"}
                steps: {type: array, items: {$ref: "#/components/schemas/ExplanationStep"}}
            OfferSignature:
              type: object
              description: >-
                For a promotional offer the original form of its signature if the request has an account, and the JWS
                if it has a transactionID; for an introductory offer the JWS, whether it allows the offer, and the answer
                by the rules.
              required: [product, offer, nonce]
              properties:
                product: {type: string}
                offer: {type: string}
                allowed: {type: boolean}
                answer: {$ref: "#/components/schemas/OfferWord"}
                reason: {type: string}
                keyID: {type: string}
                nonce: {type: string}
                timestamp: {description: "Milliseconds since 1970.", type: integer, format: int64}
                signature: {description: "The original form, DER in base64.", type: string}
                jws: {description: "The compact JWS.", type: string}
                until: {$ref: "#/components/schemas/Time"}
            BalanceRow:
              type: object
              required: [id, balance]
              properties:
                id: {type: string}
                balance: {type: integer, format: int64}
            Balances: {type: array, items: {$ref: "#/components/schemas/BalanceRow"}}
            Receipt:
              type: object
              required: [balance, receipt, replayed]
              properties:
                customer: {type: string}
                balance: {type: integer, format: int64}
                receipt: {type: string}
                replayed: {type: boolean}
            Grants:
              type: object
              required: [grants]
              properties:
                grants: {type: array, items: {$ref: "#/components/schemas/AccessGrant"}}
            GrantReceipt:
              type: object
              required: [customer, grant, replayed]
              properties:
                customer: {type: string}
                grant: {$ref: "#/components/schemas/AccessGrant"}
                replayed: {type: boolean}
            AccessGrant:
              description: Access without a purchase; it has a productID or a feature.
              type: object
              required: [key, grantedAt, until, reason]
              properties:
                key: {type: string}
                productID: {type: string}
                feature: {type: string}
                grantedAt: {$ref: "#/components/schemas/Time"}
                until: {$ref: "#/components/schemas/Time"}
                reason: {type: string}
                recordedBy: {description: "The name of the key that granted it.", type: string}
                revokedAt: {$ref: "#/components/schemas/Time"}
                revocationReason: {type: string}
                revokedBy: {description: "The name of the key that revoked it.", type: string}
            Lease:
              type: object
              required: [lease, endsAt, features, verified]
              properties:
                lease: {type: string}
                endsAt: {$ref: "#/components/schemas/Time"}
                features: {type: array, items: {type: string}}
                verified: {type: boolean}
            Intake:
              type: object
              required: [items, new, known, parked, conflicts, failures]
              properties:
                items: {type: integer}
                new: {type: integer}
                known: {type: integer}
                parked: {type: integer}
                conflicts: {description: "Original transaction ids.", type: array, items: {type: string}}
                failures:
                  description: Error codes, as in storekeeper verify; of a receipt also noPurchase and unknownTransaction.
                  type: array
                  items: {type: string}
                unverifiedReceipts:
                  description: >-
                    The error codes of receipts that are not verified: their purchases were stored, and those without an
                    owner were not assigned to the customer, because the key lacks the scope claim. Absent if there are
                    none.
                  type: array
                  items: {type: string}
            Claimed:
              type: object
              required: [claimed, new]
              properties:
                claimed: {type: boolean}
                new: {type: integer}
            Transferred:
              type: object
              required: [transferred]
              properties:
                transferred: {type: boolean}
                from: {description: The owner before; absent if there was none or it was the customer., type: string}
                purchases: {type: array, items: {type: string}}
            ParkedPage:
              type: object
              required: [parked]
              properties:
                parked: {type: array, items: {$ref: "#/components/schemas/Parked"}}
                next: {description: "The 'after' of the next page; absent on the last.", type: integer, format: int64}
            Parked:
              type: object
              required: [since, reason, originalTransactionID]
              properties:
                since: {$ref: "#/components/schemas/Time"}
                reason: {type: string}
                transactionID: {type: string}
                originalTransactionID: {type: string}
                productID: {type: string}
            Erasure:
              type: object
              required: [at, facts, entries, proof]
              properties:
                at: {$ref: "#/components/schemas/Time"}
                facts: {type: integer}
                entries: {type: integer}
                proof: {type: string}
            KeySet:
              type: object
              required: [keys]
              properties:
                keys: {type: array, items: {$ref: "#/components/schemas/PublicKey"}}
            PublicKey:
              type: object
              required: [kty, crv, alg, use, kid, x, y]
              properties:
                kty: {type: string}
                crv: {type: string}
                alg: {type: string}
                use: {type: string}
                kid: {type: string}
                x: {type: string}
                y: {type: string}
            Health:
              type: object
              required: [status]
              properties:
                status: {type: string}
                lastNotification:
                  description: When this process received the last valid notification; absent before the first one.
                  $ref: "#/components/schemas/Time"
            Event:
              description: The data of a server-sent event.
              oneOf:
                - {$ref: "#/components/schemas/ChangeEvent"}
                - {$ref: "#/components/schemas/NotificationEvent"}
            EventType:
              description: The name of a server-sent event, and the type of a webhook's message.
              type: string
              enum:
                - change
                - consumptionRequest
                - refundDeclined
                - priceIncrease
                - seatsChanged
                - seatsUnclaimed
                - consentRescinded
            NotificationEvent:
              description: A notification of the App Store about which your server must do something itself.
              type: object
              required: [at, type, notification, sequence]
              properties:
                at: {$ref: "#/components/schemas/Time"}
                sequence: {type: integer, format: int64}
                customer: {description: Absent if the notification names no customer., type: string}
                type: {$ref: "#/components/schemas/EventType"}
                notification: {description: "The type and subtype, such as REFUND/SEATS.", type: string}
                uuid: {type: string}
                productID: {type: string}
                transactionID: {type: string}
                due: {$ref: "#/components/schemas/Time"}
                reason: {description: The reason of a consumption request., type: string}
                seatClaims: {description: The ids of the ended seat claims., type: array, items: {type: string}}
                appTransactionID: {description: The download of the child whose guardian withdrew., type: string}
            ChangeEvent:
              description: A change of an answer.
              type: object
              required: [at, subject, before, after, sequence, customer]
              properties:
                at: {$ref: "#/components/schemas/Time"}
                sequence: {type: integer, format: int64}
                customer: {type: string}
                subject: {$ref: "#/components/schemas/EventSubject"}
                before: {$ref: "#/components/schemas/EventAnswer"}
                after: {$ref: "#/components/schemas/EventAnswer"}
            WebhookMessage:
              description: >-
                The body of a webhook. Its id, in the header webhook-id, is the id of the event in the stream, and the
                same for each attempt.
              type: object
              required: [type, timestamp, data]
              properties:
                type: {$ref: "#/components/schemas/EventType"}
                timestamp: {$ref: "#/components/schemas/Time"}
                data: {$ref: "#/components/schemas/Event"}
            Webhooks:
              type: object
              required: [webhooks]
              properties:
                webhooks: {type: array, items: {$ref: "#/components/schemas/Webhook"}}
            Webhook:
              type: object
              required: [webhook, queuedThrough, waiting, failing, parked]
              properties:
                webhook: {description: "The name.", type: string}
                url: {description: "Absent if this process does not post to it.", type: string}
                queuedThrough: {description: "The last event that was queued.", type: integer, format: int64}
                waiting: {description: "Customers with undelivered events, at most 10,000.", type: integer}
                failing: {description: "Customers whose next event has failed, at most 10,000.", type: integer}
                failingSince: {$ref: "#/components/schemas/Time"}
                parked: {description: "Messages that were given up, at most 10,000.", type: integer}
                stoppedAt: {$ref: "#/components/schemas/Time"}
                reason: {description: "Why nothing is posted.", type: string}
            WebhookAttemptPage:
              type: object
              required: [attempts]
              properties:
                attempts: {type: array, items: {$ref: "#/components/schemas/WebhookAttempt"}}
                next: {description: "The value of 'before' that requests the next page; absent on the last page.", type: string}
            WebhookAttempt:
              type: object
              required: [webhook, at, message, customer, attempt, outcome, milliseconds]
              properties:
                webhook: {type: string}
                at: {$ref: "#/components/schemas/Time"}
                message: {$ref: "#/components/schemas/EventID"}
                customer: {type: string}
                attempt: {description: "1 for the first.", type: integer}
                outcome: {type: string, enum: [delivered, failed, parked, gone]}
                status: {description: "The HTTP status; absent without a response.", type: integer}
                problem: {type: string}
                milliseconds: {type: integer, format: int64}
            ParkedWebhookPage:
              type: object
              required: [parked]
              properties:
                parked: {type: array, items: {$ref: "#/components/schemas/ParkedWebhook"}}
                next: {description: "The value of 'after' that requests the next page; absent on the last page.", type: integer, format: int64}
            ParkedWebhook:
              type: object
              required: [webhook, message, customer, since, attempts]
              properties:
                webhook: {type: string}
                message: {$ref: "#/components/schemas/EventID"}
                customer: {type: string}
                since: {$ref: "#/components/schemas/Time"}
                attempts: {type: integer}
                problem: {type: string}
            WebhookReplayed:
              type: object
              required: [webhook]
              properties:
                webhook: {type: string}
                after: {description: "The number of the event.", type: integer, format: int64}
                messages: {description: "How many were given up.", type: integer}
            WebhookResumed:
              type: object
              required: [webhook, resumed]
              properties:
                webhook: {type: string}
                resumed: {description: "False if nothing was stopped.", type: boolean}
            EventSubject:
              description: Exactly one member is present.
              type: object
              properties:
                product: {type: string}
                feature: {type: string}
                group: {type: string}
            EventAnswer:
              type: object
              required: [answer, reason]
              properties:
                answer: {description: "An AnswerWord; for a group, its state.", type: string}
                reason: {type: string}
                productID: {type: string}
                transactionID: {type: string}
                until: {$ref: "#/components/schemas/Time"}

        """##
}

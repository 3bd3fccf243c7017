/// The OpenAPI document of a local App Store.
///
/// The document describes the store's own requests in full. For requests of Apple's APIs, the document refers to
/// Apple's documentation.
///
/// - SeeAlso: OpenAPI Specification 3.1.
enum LocalDescription {
    static let text = """
        openapi: 3.1.0
        info:
          title: A local App Store
          version: "1"
          description: |
            Served by `storekeeper local-app-store`. Under /inApps, /groups and /advancedCommerce it implements Apple's
            "App Store Server API", "Retention Messaging API" and "Advanced Commerce API", including bearer tokens.
            Under /local tests control it without a token, with the steps of scenarios. Changes must be sent as
            application/json and, while it listens on this machine only, to the host localhost or a loopback address.
            Times are RFC 3339 in UTC with milliseconds.
            POST /verifyReceipt, Apple's deprecated check of receipts, answers 410.
        paths:
          /local/v1:
            get:
              summary: The time, the apps and customers, and the next events
              responses:
                "200": { $ref: "#/components/responses/Overview" }
          /local/v1/root.pem:
            get:
              summary: The root certificate, for verifiers to trust
              responses:
                "200":
                  description: PEM
                  content:
                    application/x-pem-file: { schema: { type: string } }
          /local/v1/happenings:
            get:
              summary: What has happened, in order
              parameters: [{ $ref: "#/components/parameters/After" }]
              responses:
                "200": { $ref: "#/components/responses/Happenings" }
                "400": { $ref: "#/components/responses/Problem" }
          /local/v1/transactions:
            get:
              summary: The transactions, with their ids and orders
              parameters:
                - { name: person, in: query, schema: { type: string }, description: The customer; all customers by default. }
              responses:
                "200": { $ref: "#/components/responses/Transactions" }
          /local/v1/notifications:
            get:
              summary: The notifications, with the attempts to send them
              parameters: [{ $ref: "#/components/parameters/After" }]
              responses:
                "200": { $ref: "#/components/responses/Notifications" }
                "400": { $ref: "#/components/responses/Problem" }
          /local/v1/people/{name}/evidence:
            get:
              summary: The newest copies of all evidence signed about a customer
              parameters:
                - { $ref: "#/components/parameters/Name" }
                - { $ref: "#/components/parameters/App" }
              responses:
                "200":
                  description: Compact JWS
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [evidence]
                        properties: { evidence: { type: array, items: { type: string } } }
                "422": { $ref: "#/components/responses/Problem" }
          /local/v1/people/{name}/app-transaction:
            get:
              summary: The app transaction of a customer
              parameters:
                - { $ref: "#/components/parameters/Name" }
                - { $ref: "#/components/parameters/App" }
              responses:
                "200":
                  description: Compact JWS
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [signedAppTransactionInfo]
                        properties: { signedAppTransactionInfo: { type: string } }
                "422": { $ref: "#/components/responses/Problem" }
          /local/v1/people/{name}/receipt:
            get:
              summary: The app receipt of a customer, in the format of the original StoreKit
              parameters:
                - { $ref: "#/components/parameters/Name" }
                - { $ref: "#/components/parameters/App" }
              responses:
                "200":
                  description: A receipt in base64
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [receipt-data]
                        properties: { receipt-data: { type: string } }
                "422": { $ref: "#/components/responses/Problem" }
          /local/v1/people/{name}/expectations:
            get:
              summary: What is true of a customer at present, as expectations of scenarios
              description: Each is the text of a step without its first word 'expect', as the parameter expect takes it.
              parameters:
                - { $ref: "#/components/parameters/Name" }
                - { $ref: "#/components/parameters/App" }
              responses:
                "200":
                  description: Answers, balances, subscriptions, and signed values of the newest transaction of each product
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [expectations, now]
                        properties:
                          expectations: { type: array, items: { type: string } }
                          now: { type: string, format: date-time }
                "422": { $ref: "#/components/responses/Problem" }
          /local/v1/scenario:
            get:
              summary: A scenario that reproduces everything that has happened, or a test made from it
              description: >-
                A test is played before it is returned; if an expectation is not met, the status is 422. A file contains
                its catalogs, a folder has them next to the scenario. The tests in Swift, Python and bash contain the
                story and its catalogs; the last two start a local App Store.
              parameters:
                - name: format
                  in: query
                  schema: { type: string, enum: [scenario, file, folder, swift, python, curl] }
                  description: scenario by default, which names its catalogs.
                - name: expect
                  in: query
                  schema: { type: array, items: { type: string } }
                  description: What to expect at the end, such as 'entitled pro because active for anna'; repeated for more.
              responses:
                "200":
                  description: YAML, for storekeeper simulate, or the test
                  content:
                    application/yaml: { schema: { type: object } }
                    application/x-tar: { schema: { type: string, format: binary } }
                    text/x-swift: { schema: { type: string } }
                    text/x-python: { schema: { type: string } }
                    application/x-sh: { schema: { type: string } }
                "400": { $ref: "#/components/responses/Problem" }
                "422": { $ref: "#/components/responses/Problem" }
          /local/v1/certificates:
            get:
              summary: The statuses that the OCSP responder reports
              responses:
                "200": { $ref: "#/components/responses/Certificates" }
            post:
              summary: Sets the statuses that the OCSP responder reports
              requestBody:
                required: true
                content:
                  application/json: { schema: { $ref: "#/components/schemas/Certificates" } }
              responses:
                "200": { $ref: "#/components/responses/Certificates" }
                "400": { $ref: "#/components/responses/Problem" }
                "415": { $ref: "#/components/responses/Problem" }
          /local/v1/messaging:
            get:
              summary: The retention messages of an app, with their reviews
              parameters: [{ $ref: "#/components/parameters/App" }]
              responses:
                "200": { $ref: "#/components/responses/Messaging" }
                "400": { $ref: "#/components/responses/Problem" }
            post:
              summary: Reviews an image, a message, or all later uploads
              description: In the sandbox uploads are approved at once, in production they are pending until this request.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [review]
                      additionalProperties: false
                      properties:
                        review: { enum: [PENDING, APPROVED, REJECTED] }
                        message: { type: string, format: uuid }
                        image: { type: string, format: uuid }
                        app: { type: string, description: A bundle id; the first app by default. }
              responses:
                "200": { $ref: "#/components/responses/Messaging" }
                "400": { $ref: "#/components/responses/Problem" }
                "415": { $ref: "#/components/responses/Problem" }
          /local/v1/messaging/display:
            post:
              summary: Displays the page to cancel a subscription, and returns the retention message on it
              description: |
                If the app has set a URL for real-time messages, it is asked; otherwise, or if its response names no
                message that can be displayed, the default message of the product and the locale is the one.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [transactionID]
                      additionalProperties: false
                      properties:
                        transactionID: { type: string }
                        locale: { type: string, default: en-US }
                        app: { type: string, description: A bundle id; the first app by default. }
              responses:
                "200":
                  description: The message
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [source]
                        properties:
                          source:
                            enum: [message, alternateProduct, promotionalOffer, advancedCommerceInfo, default, none]
                          message: { $ref: "#/components/schemas/RetentionMessage" }
                          result: { type: string, description: The result of the request to the app's server. }
                          milliseconds: { type: integer, description: The time until its response. }
                          response: { type: object, description: The response of the app's server. }
                          problem: { type: string, description: Why that response was not followed. }
                "400": { $ref: "#/components/responses/Problem" }
                "415": { $ref: "#/components/responses/Problem" }
          /local/v1/faults:
            get:
              summary: The active faults, which steps begin and end
              description: |
                A step begins one: "fault history how 500 times 2", "fault notifications how delayed span 2 hours". It
                ends after that number of times, or with all others by "fault none". A request of the App Store Server
                API that a fault affects receives an error, or a body that is slow, cut or halved.
              responses:
                "200": { $ref: "#/components/responses/Faults" }
          /local/v1/steps:
            post:
              summary: Carries out steps
              description: |
                Stops at the first step that fails; earlier steps remain done. When this returns, the resulting
                notifications were sent, whether or not they were accepted. Time stands still between steps; a step that
                advances it lets each event in between happen at its own instant, including retries of notifications.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      properties:
                        step: { type: string, examples: [buy gold.monthly by anna, advance 31 days] }
                        steps: { type: array, minItems: 1, items: { type: string } }
                      additionalProperties: false
                      oneOf: [{ required: [step] }, { required: [steps] }]
              responses:
                "200":
                  description: The results
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [now, outcomes, happenings]
                        properties:
                          now: { type: string, format: date-time }
                          outcomes: { type: array, items: { $ref: "#/components/schemas/Outcome" } }
                          happenings: { type: array, items: { $ref: "#/components/schemas/Happening" } }
                "400": { $ref: "#/components/responses/Problem" }
                "415": { $ref: "#/components/responses/Problem" }
                "422": { $ref: "#/components/responses/Problem" }
          /local/v1/story:
            get:
              summary: The story, its steps and branches, and the current place
              description: |
                Every step of a test or of the page and every request of the App Store Server API that changes the store
                is a step. After a return to an earlier step, the next action begins another branch.
              parameters:
                - { name: after, in: query, schema: { type: integer, minimum: 0 }, description: The number of steps to skip. }
              responses:
                "200": { $ref: "#/components/responses/Story" }
                "400": { $ref: "#/components/responses/Problem" }
          /local/v1/story/undo:
            post:
              summary: Goes back to the step before the current one, time included
              description: |
                The response is the story without its steps, as are those of the following requests. Notifications are
                not sent again.
              requestBody:
                content:
                  application/json: { schema: { type: object, maxProperties: 0 } }
              responses:
                "200": { $ref: "#/components/responses/Story" }
                "400": { $ref: "#/components/responses/Problem" }
                "415": { $ref: "#/components/responses/Problem" }
                "422": { $ref: "#/components/responses/Problem" }
          /local/v1/story/redo:
            post:
              summary: Does the step again that was undone last
              requestBody:
                content:
                  application/json: { schema: { type: object, maxProperties: 0 } }
              responses:
                "200": { $ref: "#/components/responses/Story" }
                "400": { $ref: "#/components/responses/Problem" }
                "415": { $ref: "#/components/responses/Problem" }
                "422": { $ref: "#/components/responses/Problem" }
          /local/v1/story/place:
            post:
              summary: Goes to a step, or to the last step of a branch
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      properties:
                        step: { type: integer, examples: [3] }
                        branch: { type: integer, examples: [2] }
                      oneOf: [{ required: [step] }, { required: [branch] }]
              responses:
                "200": { $ref: "#/components/responses/Story" }
                "400": { $ref: "#/components/responses/Problem" }
                "415": { $ref: "#/components/responses/Problem" }
                "422": { $ref: "#/components/responses/Problem" }
          /local/v1/story/branches:
            post:
              summary: Names a branch, deletes it, or restores it
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [branch]
                      additionalProperties: false
                      properties:
                        branch: { type: integer, examples: [2] }
                        name: { type: string, description: "The new name, at most 60 characters." }
                        isDeleted: { type: boolean, description: "Whether it is deleted; the current branch cannot be." }
                      oneOf: [{ required: [name] }, { required: [isDeleted] }]
              responses:
                "200": { $ref: "#/components/responses/Story" }
                "400": { $ref: "#/components/responses/Problem" }
                "415": { $ref: "#/components/responses/Problem" }
                "422": { $ref: "#/components/responses/Problem" }
          /local/v1/story/comparison:
            get:
              summary: Compares what customers have at the ends of two branches
              parameters:
                - { name: first, in: query, required: true, schema: { type: integer, minimum: 0 } }
                - { name: second, in: query, required: true, schema: { type: integer, minimum: 0 } }
              responses:
                "200": { $ref: "#/components/responses/Comparison" }
                "400": { $ref: "#/components/responses/Problem" }
                "422": { $ref: "#/components/responses/Problem" }
        components:
          parameters:
            After:
              { name: after, in: query, schema: { type: integer, minimum: 0 }, description: The number of happenings to skip. }
            Name: { name: name, in: path, required: true, schema: { type: string } }
            App: { name: app, in: query, schema: { type: string }, description: A bundle id; the first app by default. }
          responses:
            Overview:
              description: The store
              content:
                application/json:
                  schema:
                    type: object
                    required: [environment, now, apps, people, happenings, sendsNotifications]
                    properties:
                      environment: { type: string }
                      now: { type: string, format: date-time }
                      nextEvent: { type: string, format: date-time, description: When the next event is due. }
                      nextSending: { type: string, format: date-time, description: When the next notification is due. }
                      apps: { type: array, items: { type: string } }
                      people: { type: array, items: { type: string } }
                      happenings: { type: integer }
                      sendsNotifications: { type: boolean }
            Happenings:
              description: What has happened
              content:
                application/json:
                  schema:
                    type: object
                    required: [happenings, now, count]
                    properties:
                      happenings: { type: array, items: { $ref: "#/components/schemas/Happening" } }
                      now: { type: string, format: date-time }
                      count: { type: integer, description: The number of all happenings. }
            Transactions:
              description: Transactions in the order of their ids
              content:
                application/json:
                  schema:
                    type: object
                    required: [transactions, now, count]
                    properties:
                      transactions: { type: array, items: { $ref: "#/components/schemas/Transaction" } }
                      now: { type: string, format: date-time }
                      count: { type: integer }
            Notifications:
              description: Notifications in the order in which they were first sent
              content:
                application/json:
                  schema:
                    type: object
                    required: [notifications, now, count]
                    properties:
                      notifications: { type: array, items: { $ref: "#/components/schemas/Notification" } }
                      now: { type: string, format: date-time }
                      count: { type: integer }
            Faults:
              description: The active faults, oldest first
              content:
                application/json:
                  schema:
                    type: object
                    required: [faults]
                    properties:
                      faults: { type: array, items: { $ref: "#/components/schemas/Fault" } }
            Story:
              description: The story
              content:
                application/json:
                  schema:
                    type: object
                    required: [step, branch, now, count, branches, steps]
                    properties:
                      step: { type: integer, description: The step after which the store is. }
                      branch: { type: integer, description: The current branch. }
                      now: { type: string, format: date-time }
                      undo: { type: integer, description: The step that undo goes back to. }
                      redo: { type: integer, description: The step that redo goes to. }
                      count: { type: integer, description: The number of all steps. }
                      branches:
                        type: array
                        items:
                          type: object
                          required: [id, name, step, isDeleted]
                          properties:
                            id: { type: integer }
                            name: { type: string }
                            step: { type: integer, description: Its last step. }
                            isDeleted: { type: boolean }
                      steps: { type: array, items: { $ref: "#/components/schemas/StoryStep" } }
            Comparison:
              description: What differs between two branches
              content:
                application/json:
                  schema:
                    type: object
                    required: [first, second, common, customers, isCut, rows]
                    properties:
                      first: { $ref: "#/components/schemas/BranchEnd" }
                      second: { $ref: "#/components/schemas/BranchEnd" }
                      common: { $ref: "#/components/schemas/StoryStep" }
                      customers:
                        type: integer
                        description: The number of customers about whom something has happened since the common step.
                      isCut: { type: boolean, description: Whether customers or rows were left out. }
                      rows:
                        type: array
                        items:
                          type: object
                          required: [person, app, subject, differs]
                          properties:
                            person: { type: string }
                            app: { type: string }
                            subject: { type: string, description: A product or a balance. }
                            first: { type: string, description: The engine's answer at the end of the first branch. }
                            second: { type: string }
                            differs: { type: boolean }
            Messaging:
              description: The retention messages
              content:
                application/json:
                  schema:
                    type: object
                    required: [review, images, messages, defaults]
                    properties:
                      review: { type: string, description: The review of the next uploads. }
                      realtimeURL: { type: string }
                      images:
                        type: array
                        items:
                          type: object
                          required: [id, review, size]
                          properties:
                            id: { type: string }
                            review: { type: string }
                            size: { type: string }
                      messages: { type: array, items: { $ref: "#/components/schemas/RetentionMessage" } }
                      defaults:
                        type: array
                        items:
                          type: object
                          required: [productID, locale, message]
                          properties:
                            productID: { type: string }
                            locale: { type: string }
                            message: { type: string }
            Certificates:
              description: The status of each certificate
              content:
                application/json: { schema: { $ref: "#/components/schemas/Certificates" } }
            Problem:
              description: RFC 9457, the error and its remedy
              content:
                application/problem+json:
                  schema:
                    type: object
                    required: [type, title, status, detail]
                    properties:
                      type: { type: string }
                      title: { type: string, description: A code that stays the same. }
                      status: { type: integer }
                      detail: { type: string }
          schemas:
            Certificates:
              type: object
              additionalProperties: false
              properties:
                leaf: { $ref: "#/components/schemas/Verdict" }
                intermediate: { $ref: "#/components/schemas/Verdict" }
            RetentionMessage:
              type: object
              required: [id, review, header, body]
              properties:
                id: { type: string }
                review: { type: string }
                header: { type: string }
                body: { type: string }
            StoryStep:
              type: object
              required: [id, kind, text, at]
              properties:
                id: { type: integer }
                parent: { type: integer, description: The step before it. }
                kind: { enum: [beginning, load, step, request] }
                text: { type: string, description: The step in the words in which it was made. }
                at: { type: string, format: date-time, description: The store's time after it. }
                requests:
                  type: array
                  description: The requests of the App Store Server API that changed the store meanwhile.
                  items: { type: string }
            BranchEnd:
              type: object
              required: [branch, name, step, now]
              properties:
                branch: { type: integer }
                name: { type: string }
                step: { type: integer }
                now: { type: string, format: date-time }
            Verdict: { enum: [good, revoked, unknown, garbage, slow] }
            Fault:
              type: object
              required: [app, fault, how]
              properties:
                app: { type: string }
                fault: { type: string, description: "A request, `any`, or `notifications`." }
                how: { type: string }
                left: { type: integer, description: The remaining number of times; absent if the fault lasts until faults are ended. }
            Outcome:
              type: object
              properties:
                outcome: { enum: [purchased, alreadyOwned, pending, cancelled, failed] }
                transactionID: { type: string }
                reason: { type: string }
                message: { type: string }
            Happening:
              type: object
              required: [id, at, what]
              properties:
                id: { type: integer }
                at: { type: string, format: date-time }
                what: { type: string }
                person: { type: string }
                app: { type: string }
                productID: { type: string }
                transactionID: { type: string }
                originalTransactionID: { type: string }
                notification: { type: string, description: TYPE or TYPE/SUBTYPE. }
                status: { type: integer }
                expires: { type: string, format: date-time }
                price: { type: string }
                currency: { type: string }
                note: { type: string }
                revocationReason: { type: string }
                revocationPercentage: { type: integer }
                offer: { type: object }
            Transaction:
              type: object
              required:
                [id, productID, person, app, begun, quantity, state, isFamilyShared, isRenewal, isFinished,
                 isRefundRequested, awaitsPriceConsent]
              properties:
                id: { type: string }
                originalID: { type: string }
                orderID: { type: string }
                productID: { type: string }
                person: { type: string }
                app: { type: string }
                begun: { type: string, format: date-time, description: When the purchase was requested. }
                purchased: { type: string, format: date-time }
                expires: { type: string, format: date-time }
                revoked: { type: string, format: date-time }
                quantity: { type: integer }
                state:
                  enum: [purchased, grace, retry, expired, refunded, revoked, upgraded, pending, interrupted, failed, declined]
                isFamilyShared: { type: boolean }
                isRenewal: { type: boolean }
                isFinished: { type: boolean }
                isRefundRequested: { type: boolean }
                awaitsPriceConsent: { type: boolean, description: Whether a higher price awaits consent. }
            Notification:
              type: object
              required: [happening, at, notification, signedPayload, sendAttempts]
              properties:
                happening: { type: integer }
                at: { type: string, format: date-time }
                notification: { type: string }
                signedPayload: { type: string }
                sendAttempts:
                  type: array
                  items:
                    type: object
                    required: [attemptDate, sendAttemptResult]
                    properties:
                      attemptDate: { type: integer, description: Milliseconds since 1970. }
                      sendAttemptResult: { type: string }

        """
}

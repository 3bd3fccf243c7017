import HTTPTypes

extension HTTPField.Name {
    /// The header of a request's id, in requests and responses.
    static let requestID = constant("X-Request-Id")
    /// The header of a ledger request's key.
    static let idempotencyKey = constant("Idempotency-Key")
    /// The header of the cursor with which a client resumes server-sent events.
    static let lastEventID = constant("Last-Event-ID")

    /// Makes a name from a literal, which must be a valid field name: the initialiser fails for others, and the tests
    /// send each name.
    private static func constant(_ literal: String) -> HTTPField.Name { HTTPField.Name(literal) ?? .ifMatch }
}

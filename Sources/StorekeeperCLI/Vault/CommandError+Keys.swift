/// Errors about the idempotency keys of requests.
extension CommandError {
    static let emptyKey = usage("the key is empty", at: "--key", "give each request a unique key, such as order-17")

    static let reusedKey = usage(
        "the key was used for another request of this customer, or before they were erased", at: "--key",
        "nothing was changed; use a unique key for each request")
}

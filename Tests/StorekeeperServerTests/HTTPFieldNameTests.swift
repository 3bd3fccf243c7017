import HTTPTypes
import StorekeeperPages
import Testing

@Suite("Names of header fields")
struct HTTPFieldNameTests {
    @Test(
        "Each constant has the name that its literal states",
        arguments: [
            (.requestID, "X-Request-Id"), (.idempotencyKey, "Idempotency-Key"), (.lastEventID, "Last-Event-ID"),
            (.secFetchSite, "Sec-Fetch-Site"), (.crossOriginOpenerPolicy, "Cross-Origin-Opener-Policy"),
            (.referrerPolicy, "Referrer-Policy"),
        ] as [(HTTPField.Name, String)])
    func constants(_ name: HTTPField.Name, _ text: String) {
        #expect(name.rawName == text)
    }
}

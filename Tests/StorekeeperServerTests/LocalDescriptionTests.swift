import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperLocalStore

@Suite struct LocalDescriptionTests {
    @Test("The API description names every route of the control interface, and no others")
    func paths() throws {
        let paths = try APIDescription(LocalDescription.text).paths
        let described = paths.flatMap { path, methods in methods.keys.map { "\($0.uppercased()) \(path)" } }
        #expect(Set(described) == Set(ControlRequest.all.map { "\($0.method.rawValue) \($0.path)" }))
    }

    @Test("Every JSON answer has exactly the members that its schema names")
    func answers() async throws {
        let served = try await ServedStore()
        for step in [
            "buy coins.100 by anna quantity 2", "buy gold.monthly by anna", "advance 40 days",
            "refund coins.100 by anna percent 50", "fault history how 500 times 2",
        ] { try await served.step(step) }
        let subscription = try #require(served.store.transactions.first { $0.productID == "gold.monthly" })
        let base = "/local/v1"
        let changes: [(path: String, body: String)] = [
            ("/steps", #"{"steps":["buy coins.100 by anna","advance 1 day"]}"#),
            ("/certificates", #"{"leaf":"unknown"}"#), ("/messaging", #"{"review":"PENDING"}"#),
            ("/messaging/display", #"{"transactionID":"\#(subscription.id.rawValue)"}"#), ("/story/undo", ""),
            ("/story/redo", "{}"), ("/story/place", #"{"step":1}"#),
            ("/steps", #"{"step":"buy coins.100 by anna"}"#), ("/story/branches", #"{"branch":2,"name":"Other"}"#),
        ]
        let description = try APIDescription(LocalDescription.text)
        let described = ControlRequest.all.filter { description.schema(of: $0.method, $0.path) != nil }
        let reads = described.filter { $0.method == .get }.map { request in
            let query = request.path.hasSuffix("comparison") ? "?first=1&second=2" : ""
            return (request: request, path: request.path.replacing("{name}", with: "anna") + query, body: "")
        }
        let asked =
            try changes.map { change in
                let request = described.first { $0.method == .post && $0.path == base + change.path }
                return (request: try #require(request), path: base + change.path, body: change.body)
            } + reads
        #expect(Set(asked.map { "\($0.request.method) \($0.request.path)" }).count == described.count)
        for (request, path, body) in asked {
            let answer = await served.local.respond(request.method, path, json: body)
            #expect(answer.status == 200, "\(path): \(String(decoding: answer.body, as: UTF8.self))")
            let value = try JSONReader().read(answer.body).root
            let schema = description.schema(of: request.method, request.path) as Any
            #expect(description.faults(value, schema) == [], "\(path): \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    @Test("The API description is served")
    func served() async throws {
        let served = try await ServedStore()
        let answer = await served.local.respond(.get, "/openapi.yaml")
        #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == LocalDescription.text)
    }
}

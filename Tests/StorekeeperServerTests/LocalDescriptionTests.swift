import HTTPTypes
import Storekeeper
import Testing
import Yams

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite struct LocalDescriptionTests {
    @Test("The API description names every route of the control interface, and no others")
    func paths() throws {
        let document = try #require(try Yams.load(yaml: LocalDescription.text) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        let described = paths.flatMap { path, methods in
            methods.keys.filter { $0 != "parameters" }.map { "\($0.uppercased()) \(path)" }
        }
        #expect(Set(described) == Set(ControlRequest.all.map { "\($0.method.rawValue) \($0.path)" }))
    }

    @Test("Every answer has all required members of its schema, and no undescribed members")
    func answers() async throws {
        let served = try await ServedStore()
        try await served.step("buy coins.100 by anna quantity 2")
        try await served.step("buy gold.monthly by anna")
        try await served.step("advance 40 days")
        try await served.step("refund coins.100 by anna percent 50")
        let document = try #require(try Yams.load(yaml: LocalDescription.text) as? [String: Any])
        let components = try #require(document["components"] as? [String: Any])
        let schemas = try #require(components["schemas"] as? [String: [String: Any]])
        for (path, list, schema) in [
            ("happenings", "happenings", "Happening"), ("transactions", "transactions", "Transaction"),
            ("notifications", "notifications", "Notification"),
        ] {
            let answer = await served.local.respond(.get, "/local/v1/\(path)")
            let items = try #require(answer.document?[list]?.array.map(Array.init))
            #expect(!items.isEmpty)
            let properties = try #require(schemas[schema]?["properties"] as? [String: Any])
            let required = Set(schemas[schema]?["required"] as? [String] ?? [])
            for item in items {
                let names = Set(try #require(item.object).map(\.name))
                #expect(names.isSubset(of: properties.keys), "\(schema): \(names.subtracting(properties.keys))")
                #expect(required.isSubset(of: names), "\(schema): \(required.subtracting(names))")
            }
        }
    }

    @Test("The API description is served")
    func served() async throws {
        let served = try await ServedStore()
        let answer = await served.local.respond(.get, "/openapi.yaml")
        #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == LocalDescription.text)
    }
}

import Foundation
import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite("The search of the desk") struct DeskSearchTests {
    private static let token = "0ea5ec2b-3f34-4b19-8b1e-4a2ac1a2a9a0"

    /// Returns a service in which anna has a renewed subscription with an account token, and bert has a purchase.
    private func shop() async throws -> (shop: CompanionShop, transactions: [Transaction]) {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.step("buy remove.ads by bert")
        try await shop.step("advance 40 days")
        try await shop.ingest("anna")
        try await shop.ingest("bert")
        _ = try await shop.ask(
            "POST", "/v1/customers/anna/claims", as: .claim, body: #"{"token":"\#(Self.token)"}"#)
        let facts = try await shop.vault.load("anna").facts.compactMap(\.fact.transaction)
        return (shop, facts)
    }

    @Test("One customer opens at once, whatever of them was searched, with blanks and line breaks around it")
    func opens() async throws {
        let (shop, transactions) = try await shop()
        let renewal = try #require(transactions.first { $0.id != $0.originalID })
        for text in [
            "anna", renewal.id.rawValue, renewal.originalID.rawValue, Self.token, Self.token.uppercased(),
        ] {
            for typed in [text, "  \(text)\n", "\t\u{A0}\(text)\u{200B}\r\n"] {
                let answer = try await shop.ask("GET", "/desk?search=\(typed.percentEncoded)", as: .desk)
                #expect(answer.status == 303, "\(typed): \(answer.text)")
                #expect(answer.fields[.location] == "/desk?customer=anna", "\(typed)")
            }
        }
        let german = try await shop.ask("GET", "/desk?search=anna&lang=de", as: .desk)
        #expect(german.fields[.location] == "/desk?customer=anna&lang=de")
    }

    @Test("Several are listed, and none says what was searched and what to try")
    func lists() async throws {
        let (shop, _) = try await shop()
        for customer in ["bob-1", "bob-2", "bob<3"] {
            _ = try await shop.ask(
                "POST", "/v1/customers/\(customer.percentEncoded)/balances/coins/grant", as: .spend,
                body: #"{"quantity":5,"reason":"a gift"}"#, fields: ["Idempotency-Key": "gift"])
        }
        let several = try await shop.ask("GET", "/desk?search=bob", as: .desk)
        #expect(several.status == 200 && several.text.contains("3 customers fit “bob”"), "\(several.text)")
        for part in ["href=\"/desk?customer=bob-1\"", "href=\"/desk?customer=bob%3C3\"", ">bob&lt;3</a>"] {
            #expect(several.text.contains(part), "\(part)")
        }
        let none = try await shop.ask("GET", "/desk?search=+nobody+", as: .desk)
        for part in ["Nothing was found for “nobody”", "Searched: the ids of customers", "Try the id from another"] {
            #expect(none.text.contains(part), "\(none.text)")
        }
        #expect(!none.text.contains("order id, which only Apple"))
        let order = try await shop.ask("GET", "/desk?search=MW12ABC3DE", as: .desk)
        #expect(order.text.contains("order id, which only Apple can look up"))
        for empty in ["/desk?search=", "/desk?search=%20%0A", "/desk"] {
            let page = try await shop.ask("GET", empty, as: .desk)
            #expect(page.status == 200 && page.text.contains("Enter the id of a customer"), "\(empty)")
        }
        for odd in ["%00", String(repeating: "x", count: 2_000), "%FE"] {
            let page = try await shop.ask("GET", "/desk?search=\(odd)", as: .desk)
            #expect([200, 400].contains(page.status), "\(odd): \(page.text)")
        }
    }

    @Test("A purchase without owner is named, and says how it finds its customer")
    func unowned() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        _ = try await shop.post()
        let id = try #require(shop.served.store.transactions.first?.originalID).rawValue
        let answer = try await shop.ask("GET", "/desk?search=\(id)", as: .desk)
        #expect(answer.status == 200 && answer.text.contains("The purchase \(id) is known, but belongs to no customer"))
        #expect(answer.text.contains("yet: gold.monthly, bought 2026-01-01 00:00"), "\(answer.text)")
        #expect(
            answer.text.contains("this needs a key with the scope claim") && !answer.text.contains("name=\"claim\""))

        // The result offers the assignment, also to a customer of whom the vault has no data.
        let offered = try await shop.ask("GET", "/desk?search=\(id)", as: .admin)
        #expect(offered.text.contains("name=\"claim\" value=\"\(id)\"") && offered.text.contains("name=\"customer\""))
        let asked = try await shop.ask("GET", "/desk?claim=\(id)&customer=carla", as: .admin)
        #expect(asked.text.contains("The vault has no data about carla yet") && !asked.text.contains("notice failure"))
        #expect(asked.text.contains("(\(id)) to carla? This is permanent."), "\(asked.text)")
        #expect(!asked.text.contains("/desk/erasures") && !asked.text.contains("/desk/fetches"))
        let done = try await shop.ask(
            "POST", "/desk/claims", as: .admin, body: "customer=carla&purchase=\(id)",
            type: "application/x-www-form-urlencoded")
        #expect(done.status == 303 && done.fields[.location] == "/desk?customer=carla&assigned=\(id)", "\(done.text)")
        #expect(try await !shop.vault.load("carla").facts.isEmpty)
    }

    @Test(
        "Only ids of orders are taken for such",
        arguments: [
            ("MW12ABC3DE", true), ("ML0KDLZNZQ", true), ("mw12abc3de", false), ("2000000123456789", false),
            ("M1", false), ("MARTHA@EXAMPLE", false), ("MARTHAJONES", true),
        ])
    func orders(_ text: String, isOrder: Bool) { #expect(DeskSearch.isOrderID(text) == isOrder) }
}

import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the desk of `storekeeper serve` in a browser, with Apple replaced by `storekeeper local-app-store`.
@Suite(.system, .inBrowser, .timeLimit(.minutes(5)))
struct DeskProgramTests {
    /// A local App Store that notifies a service, and the service, each in a process of its own.
    private struct Shop {
        let folder: Folder
        let store: ServedProcess
        let service: ServedProcess
        /// The address of the service, with an admin key.
        let address: String

        init() throws {
            folder = try Folder()
            let port = try Guide.freePorts(1)[0]
            let configuration = CompanionFolder.repository.appending(path: "Configuration")
            let catalogs = ["Store.storekit", "Products.json"].map { configuration.appending(path: $0).path }
            store = try ServedProcess(
                catalogs + [
                    "--start", "now", "--root-out", "root.pem", "--new-api-key", "key.p8", "--key-id", "KEY1",
                    "--issuer-id", "issuer-1", "--webhook", "http://127.0.0.1:\(port)/apple/notifications",
                ], in: folder)
            try folder.write(
                """
                bundleID: com.example.game
                environments: [Sandbox]
                root: root.pem
                catalogs: [\(catalogs.joined(separator: ", "))]
                vault: customers.sqlite
                serve:
                  port: \(port)
                  appStoreServer: \(store.url)

                """, to: "storekeeper.yaml")
            let vault = try Program.run(["vault", "init"], in: folder)
            try #require(vault.status == 0, "\(vault.errors)")
            let made = try Program.run(["serve", "--new-key", "the-admin", "--scope", "admin"], in: folder)
            let key = try #require(made.outputLines.first, "\(made.errors)")
            address = "http://somebody:\(key)@127.0.0.1:\(port)"
            service = try ServedProcess(
                serving: [], in: folder,
                environment: [
                    "APP_STORE_PRIVATE_KEY_FILE": "key.p8", "APP_STORE_KEY_ID": "KEY1",
                    "APP_STORE_ISSUER_ID": "issuer-1",
                ])
        }

        /// Returns what `storekeeper entitlements` prints about each product and feature of a customer.
        func printed(_ customer: String) throws -> [String: String] {
            let told = try Program.run(["entitlements", "--customer", customer, "--format", "json"], in: folder)
            try #require(told.status == 0, "\(told.errors)")
            let document = try JSONReader().read(Array(told.output.utf8)).root.object
            var answers: [String: String] = [:]
            for list in ["products", "features"] {
                for row in document?[list]?.array.map(Array.init) ?? [] {
                    guard let row = row.object, let id = row["id"]?.string else { continue }
                    answers[id] = "\(row["answer"]?.string ?? "") (\(row["reason"]?.string ?? ""))"
                }
            }
            return answers
        }
    }

    @Test("What support does at the desk is what the command line prints afterwards") func everyAction() async throws {
        let shop = try Shop()
        // The App Store notifies the service of a purchase that names no customer.
        try await shop.store.step("buy gold.monthly by customer")
        let list = try await shop.store.get("/local/v1/transactions").object?["transactions"]?.array.map(Array.init)
        let bought = try #require(list?.first?.object)
        let id = try #require(bought["originalID"]?.string)
        let order = try #require(bought["orderID"]?.string)
        try await Browser.with(shop.address) { browser in
            // The order leads to the purchase, which is assigned to a customer of whom nothing is known.
            try await browser.open("/desk")
            try await browser.type(order, into: "#search")
            try await browser.press(.enter)
            try await browser.wait(for: "The purchase \(id) is known, but belongs to no customer", in: "#result")
            try await browser.type("carla", into: "#owner-0")
            try await browser.click("#result form button")
            try await browser.wait(for: "to carla? This is permanent.", in: "#claim")
            try await browser.click("#claim form[method=post] button")
            try await browser.wait(for: "belongs to carla now", in: ".notice.success")
            try await browser.wait(for: "Has ", in: ".summary")
            var carla = try shop.printed("carla")
            #expect(carla["gold.monthly"] == "entitled (active)" && carla["pro"] == "entitled (active)", "\(carla)")

            try await browser.choose("feature:season-arena", in: "#grant-subject")
            try await browser.choose("week", in: "#grant-length")
            try await browser.type("sorry", into: "#grant-reason")
            try await browser.click("#grants form[method=get] button")
            try await browser.wait(for: "Give carla access to feature season-arena", in: "#grants")
            try await browser.click("form[action='/desk/grants'] button")
            try await browser.wait(for: "Access to feature season-arena was granted", in: ".notice.success")
            #expect(try shop.printed("carla")["season-arena"] == "entitled (granted)")

            try await browser.click("#grants table a.button")
            try await browser.type("a mistake", into: "#revocation-reason")
            try await browser.click("form[action='/desk/revocations'] button")
            try await browser.wait(for: "The access to feature season-arena was revoked", in: ".notice.success")
            carla = try shop.printed("carla")
            #expect(carla["season-arena"]?.hasPrefix("entitled") == false, "\(carla)")
            // A revocation is undone with one click.
            try await browser.click(".notice.success button")
            try await browser.wait(for: "Access to feature season-arena was granted", in: ".notice.success")
            #expect(try shop.printed("carla")["season-arena"] == "entitled (granted)")

            try await browser.open("/desk?customer=bert")
            try await browser.click("#claim summary")
            try await browser.type(id, into: "#claim-purchase")
            try await browser.click("#claim form[method=get] button")
            try await browser.wait(for: "belongs to carla. Move it to bert?", in: "#claim")
            try await browser.type("a new account", into: "#transfer-reason")
            try await browser.click("#claim .danger")
            try await browser.wait(for: "was moved from carla", in: ".notice.success")
            carla = try shop.printed("carla")
            #expect(carla["gold.monthly"]?.hasPrefix("entitled") == false, "\(carla)")
            #expect(try shop.printed("bert")["gold.monthly"] == "entitled (active)")

            try await browser.click("#erase summary")
            try await browser.type("bert", into: "#erase-typed")
            try await browser.type("asked", into: "#erase-reason")
            try await browser.click("#erase .danger")
            try await browser.wait(for: "Erased:", in: ".notice.success")
            let bert = try shop.printed("bert")
            #expect(bert.values.allSatisfy { !$0.hasPrefix("entitled") && !$0.hasPrefix("lapsed") }, "\(bert)")
        }
        #expect(shop.service.end(SIGTERM) == 0)
    }
}

public import Storekeeper

/// Generates random commands for a simulated App Store that sells a catalog of your own.
///
/// Customers buy, cancel, are refunded and cannot pay, while hours and months pass. Some commands are refused, such as
/// the refund of a purchase that was refunded before: perform each with `try?`.
///
/// The same random numbers give the same commands. The property `smaller` of an array of commands simplifies commands
/// that break a rule.
public struct CommandGenerator: Sendable {
    /// The products that customers buy.
    public var catalog: Catalog
    /// The accounts, which the first commands create.
    public var customers: [CustomerID]
    /// The initial time of the App Store's clock.
    public var start: Instant

    /// Creates a generator.
    public init(
        catalog: Catalog, customers: [CustomerID] = ["customer"], start: Instant = SimulatedAppStore.defaultStart
    ) {
        self.catalog = catalog
        self.customers = customers
        self.start = start
    }

    private static let waits: [Duration] = [
        .seconds(60), .seconds(3_600), .seconds(86_400), .seconds(7 * 86_400), .seconds(31 * 86_400),
        .seconds(62 * 86_400),
    ]

    private static let graces: [GracePeriodLength?] = [nil, .days3, .days16]

    /// Returns commands in the order of their times.
    ///
    /// - Parameters:
    ///   - count: The number of commands after the accounts were created.
    ///   - random: The source of random numbers.
    public func commands(
        count: ClosedRange<Int> = 5...30, using random: inout some RandomNumberGenerator
    ) -> [SimulatorCommand] {
        var commands = customers.map { SimulatorCommand.createAccount($0, storefront: nil) }
        var bought: [(product: Product.ID, customer: CustomerID)] = []
        var now = start
        for _ in 0..<max(0, Int.random(in: count, using: &random)) {
            guard let customer = customers.randomElement(using: &random),
                let product = catalog.products.randomElement(using: &random)?.id
            else { break }
            let chance = Int.random(in: 0..<100, using: &random)
            if chance < 35 {
                now = now.advanced(by: Self.waits.randomElement(using: &random) ?? .seconds(60))
                commands.append(.advance(to: now))
            } else if chance < 40 {
                commands.append(.setPaymentsFail(Bool.random(using: &random), of: customer))
            } else if chance < 43 {
                commands.append(.setSetting(.billingGracePeriod(Self.graces.randomElement(using: &random) ?? nil)))
            } else if chance < 70, let last = bought.suffix(4).randomElement(using: &random) {
                commands.append(Self.change(of: .latest(last.product, of: last.customer), using: &random))
            } else {
                bought.append((product, customer))
                commands.append(.buy(product, by: customer, options: PurchaseRequest()))
            }
        }
        return commands
    }

    /// Returns a command about an earlier purchase.
    private static func change(
        of purchase: TransactionReference, using random: inout some RandomNumberGenerator
    ) -> SimulatorCommand {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: .setAutoRenew(Bool.random(using: &random), of: purchase)
        case 3..<7: .refund(purchase, percentage: nil, reason: .other)
        case 7: .refund(purchase, percentage: 50_000, reason: .developerIssue)
        case 8: .reverseRefund(purchase)
        default: .retryBilling(of: purchase)
        }
    }
}

extension [SimulatorCommand] {
    /// Simpler lists of commands, the shortest first: without a half, a quarter, and so on to single commands.
    ///
    /// Pass it as `shrink` of a property.
    public var smaller: [[SimulatorCommand]] {
        var lists: [[SimulatorCommand]] = []
        var length = count / 2
        while length > 0 {
            for start in stride(from: 0, to: count, by: length) {
                lists.append(Array(self[..<start]) + self[Swift.min(start + length, count)...])
            }
            length /= 2
        }
        return lists
    }
}

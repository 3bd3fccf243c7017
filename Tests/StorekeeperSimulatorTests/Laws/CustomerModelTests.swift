import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests that compare the engine's answers about the simulator with a model that was written only from Apple's rules.
struct CustomerModelTests {
    private struct Story {
        var start: Instant
        var grace: GracePeriodLength?
        var moves: [CustomerModel.Move]

        var smaller: [Story] {
            var stories = moves.indices.map { place in
                var story = self
                story.moves.remove(at: place)
                return story
            }
            for (place, move) in moves.enumerated() {
                guard case .wait(let time) = move, time > 0 else { continue }
                for shorter in [0, time / 2, time - 1] {
                    var story = self
                    story.moves[place] = .wait(shorter)
                    stories.append(story)
                }
            }
            return stories
        }
    }

    @Test("The answers for one customer in one group equal a model that was written from the rules alone")
    func agreement() {
        checkProperty(
            "simulator and engine agree with the model", cases: 60, generate: Self.story, shrink: \.smaller,
            describe: { "from \($0.start), grace \($0.grace?.rawValue ?? 0) days: \($0.moves)" }
        ) { story in
            var model = CustomerModel(at: story.start, graceDays: story.grace?.rawValue)
            var settings = AppSettings()
            settings.gracePeriod = story.grace
            let app = SimulatedApp(catalog: SampleStore.catalog, settings: settings)
            var world = World(apps: [app], environment: .sandbox, seed: 1, start: story.start)
            try world.perform(SimulatorCall(.createAccount("anna", storefront: nil)))
            for move in story.moves {
                for command in Self.commands(for: move, model: model) {
                    _ = try? world.perform(SimulatorCall(command))
                }
                model.make(move)
                try Self.compare(model, world, after: move)
            }
            try Self.comparePast(model, world)
            return true
        }
    }

    private static func story(_ random: inout SplitMix64) -> Story {
        let start = random.pick("2026-01-31T12:00:00.123Z", "2024-02-29T23:59:59.999Z", "2025-11-30T00:00:00Z")
        let day: Int64 = 86_400_000
        let products: [Product.ID] = ["pro.monthly", "pro.yearly", "basic.monthly", "basic.weekly"]
        let moves = (0..<random.number(in: 3...25)).map { _ -> CustomerModel.Move in
            let product = random.element(of: products) ?? "pro.monthly"
            return switch random.number(in: 1...24) {
            case 1...4: .buy(product)
            case 5...7: .change(product)
            case 8, 9: .cancel
            case 10: .resume
            case 11, 12: .fail
            case 13, 14: .fix
            case 15: .refund
            case 16: .reverse
            case 17, 18: .waitForEvent
            case 19: .wait(Int64(random.number(in: 0...5)))
            case 20: .wait(day * Int64(random.number(in: 100...900)))
            default: .wait(day * Int64(random.number(in: 1...40)) + Int64(random.number(in: 0...1)) * 12_345)
            }
        }
        return Story(start: SampleStore.day(start), grace: random.pick(nil, .days3, .days16, .days28), moves: moves)
    }

    /// Returns the simulator's commands for a move.
    private static func commands(for move: CustomerModel.Move, model: CustomerModel) -> [SimulatorCommand] {
        var then = model
        if case .refund = move { then.make(.wait(1)) }
        let current = TransactionReference.latest(then.periods.last?.product ?? "pro.monthly", of: "anna")
        return switch move {
        case .buy(let product):
            [.buy(product, by: "anna", options: PurchaseRequest(introductoryEligibility: false))]
        case .change(let product): [.changePlan(to: product, by: "anna", billingPlan: nil)]
        case .cancel: [.setAutoRenew(false, of: current)]
        case .resume: [.setAutoRenew(true, of: current)]
        case .fail: [.setPaymentsFail(true, of: "anna")]
        case .fix: [.setPaymentsFail(false, of: "anna"), .retryBilling(of: current)]
        case .refund:
            [.advance(to: model.now.adding(milliseconds: 1)), .refund(current, percentage: nil, reason: .other)]
        case .reverse: [.reverseRefund(current)]
        case .wait(let time): [.advance(to: model.now.adding(milliseconds: time))]
        case .waitForEvent: model.due.map { [.advance(to: $0)] } ?? []
        }
    }

    /// Compares the answers at the current time, and a millisecond before the next event is due.
    private static func compare(_ model: CustomerModel, _ world: World, after move: CustomerModel.Move) throws {
        guard world.now == model.now else { throw StoryFailure("after \(move) it is \(world.now), not \(model.now)") }
        guard let download = world.downloads.indices.first else { return }
        let resolution = try world.resolution(of: download)
        let soon = model.due.map { max(model.now, $0.adding(milliseconds: -1)) } ?? model.now
        for instant in [model.now, soon] {
            let status = resolution.group("21400001")?.highest(at: instant)
            let product = status.flatMap { $0.isEntitled ? $0.transaction.productID : nil }
            let answer = model.entitledProduct.flatMap { resolution.product($0)?.timeline.value(at: instant) }
            let found = [status?.state.number.description, product?.rawValue, answer?.basis?.accessEndsAt.description]
            let expected = [model.status?.description, model.entitledProduct?.rawValue, model.until?.description]
            guard found == expected else {
                throw StoryFailure("after \(move), at \(instant): expected \(expected), found \(found)")
            }
        }
    }

    /// Expects that the answers in past paid periods have not changed.
    private static func comparePast(_ model: CustomerModel, _ world: World) throws {
        guard let download = world.downloads.indices.first else { return }
        let resolution = try world.resolution(of: download)
        for period in model.periods where period.end > period.from {
            for instant in [period.from, period.end.adding(milliseconds: -1)] {
                let status = resolution.group("21400001")?.highest(at: instant)
                guard status?.isEntitled == true, status?.transaction.productID == period.product else {
                    throw StoryFailure(
                        "at \(instant) \(period.product) was paid, found \(status.map { "\($0.state)" } ?? "-")")
                }
            }
        }
    }
}

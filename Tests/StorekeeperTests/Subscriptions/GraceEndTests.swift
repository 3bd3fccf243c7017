import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that a grace period ends at its date, or at the signing date of the first renewal info that shows that the
/// grace period is over.
@Suite("The end of a grace period") struct GraceEndTests {
    private static let first = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private static let id = TestShop.gold.id

    /// The content of a renewal info, and the day on which it was signed.
    ///
    /// The period ends on day 31.
    struct State: Sendable {
        var day: Int
        var grace: Int? = 47
        var isOn = true
        var retry: Bool? = true
        var reason: ExpirationReason? = .billingError

        var info: RenewalInfoDraft {
            var info = RenewalInfoDraft(for: GraceEndTests.first, signedAt: .day(day))
            info.gracePeriodExpiresAt = grace.map { Instant.day($0) }
            info.autoRenewStatus = isOn ? .on : .off
            info.isInBillingRetry = retry
            info.expirationReason = reason
            return info
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let states: [State]
        /// The days of the grace periods.
        let graces: [Range<Int>]
    }

    static let failed = State(day: 31)

    static let rows = [
        Row(testDescription: "it runs to its date", states: [failed], graces: [31..<47]),
        Row(
            testDescription: "retry false and auto-renewal off end it",
            states: [failed, State(day: 35, isOn: false, retry: false, reason: .autoRenewDisabled)], graces: [31..<35]),
        Row(
            testDescription: "as the first info they also hold for the days before",
            states: [State(day: 35, isOn: false, retry: false, reason: .billingError)], graces: []),
        Row(
            testDescription: "no retry member, auto-renewal off and intent 1 end it",
            states: [failed, State(day: 35, isOn: false, retry: nil, reason: .autoRenewDisabled)], graces: [31..<35]),
        Row(
            testDescription: "no retry member and another intent do not end it",
            states: [failed, State(day: 35, isOn: false, retry: nil, reason: .billingError)], graces: [31..<47]),
        Row(
            testDescription: "no retry member and no intent do not end it",
            states: [failed, State(day: 35, isOn: false, retry: nil, reason: nil)], graces: [31..<47]),
        Row(
            testDescription: "retry true does not end it, whatever the intent",
            states: [failed, State(day: 35, isOn: false, retry: true, reason: .autoRenewDisabled)], graces: [31..<47]),
        Row(
            testDescription: "retry false with auto-renewal on does not end it",
            states: [failed, State(day: 35, retry: false, reason: .autoRenewDisabled)], graces: [31..<47]),
        Row(
            testDescription: "an equal state that is signed later does not move the end",
            states: [
                failed, State(day: 35, isOn: false, retry: false), State(day: 36, isOn: false, retry: false),
                State(day: 90, isOn: false, retry: nil, reason: .autoRenewDisabled),
            ], graces: [31..<35]),
        Row(
            testDescription: "turning renewal on again cancels giving up from then on",
            states: [failed, State(day: 35, isOn: false, retry: false), State(day: 36)], graces: [31..<35, 36..<47]),
        Row(
            testDescription: "giving up a second time ends it then",
            states: [
                State(day: 33, isOn: false, retry: false), State(day: 36), State(day: 38, isOn: false, retry: false),
            ], graces: [36..<38]),
        Row(
            testDescription: "an info without the date ends it",
            states: [failed, State(day: 35, grace: nil)], graces: [31..<35]),
        Row(
            testDescription: "the first info without the date ends it",
            states: [failed, State(day: 35, grace: nil), State(day: 40, grace: nil)], graces: [31..<35]),
        Row(
            testDescription: "a date that returns holds from then on",
            states: [failed, State(day: 35, grace: nil), State(day: 40)], graces: [31..<35, 40..<47]),
        Row(
            testDescription: "a date that is omitted after it has passed stays the end",
            states: [failed, State(day: 60, grace: nil)], graces: [31..<47]),
        Row(
            testDescription: "given up first, date omitted later",
            states: [
                failed, State(day: 34, isOn: false, retry: false),
                State(day: 36, grace: nil, isOn: false, retry: false),
            ], graces: [31..<34]),
        Row(
            testDescription: "date omitted first, given up later",
            states: [failed, State(day: 34, grace: nil), State(day: 36, grace: nil, isOn: false, retry: false)],
            graces: [31..<34]
        ),
        Row(
            testDescription: "the newest date is the end",
            states: [failed, State(day: 33, grace: 40)], graces: [31..<40]),
        Row(testDescription: "no date was ever named", states: [State(day: 31, grace: nil)], graces: []),
        Row(
            testDescription: "given up before the period ended",
            states: [State(day: 30, isOn: false, retry: false)], graces: []),
        Row(
            testDescription: "a date from before the first renewal attempt belongs to the previous renewal",
            states: [State(day: 29), State(day: 31, grace: nil)], graces: []),
    ]

    @Test("The infos of the transaction determine the end of its grace, in any order", arguments: rows)
    func end(_ row: Row) throws {
        for infos in [row.states.map(\.info), row.states.reversed().map(\.info)] {
            let resolution = try TestShop.resolution([Self.first], infos)
            let timeline = try #require(resolution.product(Self.id)?.timeline)
            let graces = timeline.runs.filter { $0.value.reasonWord == "gracePeriod" }
            #expect(graces.map(\.from) == row.graces.map { .day($0.lowerBound) })
            #expect(graces.map(\.to) == row.graces.map { .day($0.upperBound) })
            let end = row.graces.last.map { Instant.day($0.upperBound) }
            #expect(try #require(resolution.group("membership")?.highest(at: .day(100))).gracePeriodExpiresAt == end)
            let model = try ReferenceModel(
                GeneratedEvidence(catalog: TestShop.catalog, transactions: [Self.first], renewalInfos: infos))
            #expect(model.statuses(at: .day(31)).first?.gracePeriodExpires == end)
        }
    }

    @Test("Infos affect only the grace of their own transaction")
    func alone() throws {
        let second = TransactionDraft.change(of: Self.first, at: .day(50), expires: .day(80))
        let givenUp = State(day: 35, isOn: false, retry: false).info
        let newGrace = RenewalInfoDraft(for: second, signedAt: .day(80)).grace(until: .day(90))
        let resolution = try TestShop.resolution([Self.first, second], [Self.failed.info, givenUp, newGrace])
        let timeline = try #require(resolution.product(Self.id)?.timeline)
        #expect(timeline.run(at: .day(31)).to == .day(35) && timeline.run(at: .day(80)).to == .day(90))
    }

    @Test("The explanation of an early end names the info that caused it")
    func explained() throws {
        let again = State(day: 40, isOn: false, retry: false, reason: .autoRenewDisabled).info
        let givenUp = with(again) { $0.signedAt = .day(35) }
        var told = try TestShop.steps("gold.monthly", [Self.first], [Self.failed.info, givenUp, again], at: .day(50))
        #expect(
            told.contains(
                """
                35: auto-renewal was turned off in the grace period of transaction 1000 → lapsed (expired) | A \
                grace period ends early if auto-renewal is off and billing is not retried.
                """))
        #expect(
            told.contains {
                $0.hasPrefix("35: renewal info: ") && $0.contains("→ determines what follows: no renewal |")
            })
        told = try TestShop.steps(
            "gold.monthly", [Self.first], [Self.failed.info, State(day: 35, grace: nil).info], at: .day(50))
        #expect(
            told.contains {
                $0.hasPrefix("35: the App Store reports that the grace period of transaction 1000 has ended → lapsed ")
            })
    }
}

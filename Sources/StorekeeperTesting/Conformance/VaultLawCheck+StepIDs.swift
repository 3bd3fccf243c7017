import Storekeeper

extension VaultLawCheck {
    static var stepIDChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("a step with an id is written once, and can be looked up") { try await $0.namedStep() },
            VaultCheck("a refused step is not reported as written") { try await $0.refusedStep() },
            VaultCheck("a step is remembered for a week") { try await $0.rememberedStep() },
        ]
    }

    /// Returns the id of a step.
    ///
    /// For equal numbers, the ids are equal.
    static func stepID(_ number: UInt64) -> StepID {
        var generator = SplitMix64(seed: number)
        return StepID(using: &generator)
    }

    func namedStep() async throws {
        let (first, second) = (Self.stepID(1), Self.stepID(2))
        expect(StepID(first.description), is: first, "an id that was stored as text")
        expect(try await vault.wasWritten(first), is: false, "whether a step that was never requested was written")
        var batch = try Self.batch([VaultShop.coins("1")])
        batch.events = [VaultShop.event("badge", at: .day(1))]
        batch.step = first
        let version = try await commit(batch).version
        expect(try await vault.wasWritten(first), is: true, "whether the step was written")
        expect(try await vault.wasWritten(second), is: false, "whether another step was written")
        let picture = try await VaultPicture(of: vault)
        if case .stale(let current) = try await vault.commit(batch) {
            expect(current, is: version, "the version that is returned for a repeated step")
        } else {
            expect(false, "a step was written twice")
        }
        try await expectUnchanged(since: picture, by: "a repeated step")
        batch.step = second
        batch.events = [VaultShop.event("other", at: .day(1))]
        try await commit(batch)
        expect(try await vault.wasWritten(second), is: true, "whether the second step was written")
        let parked = Self.stepID(3)
        var aside = CommitBatch(
            for: .owner(primary: nil), at: .day(2), facts: [try VaultShop.badge("9").verifiedFact()])
        aside.step = parked
        try await commit(aside)
        expect(try await vault.wasWritten(parked), is: true, "whether a step that only put facts aside was written")
    }

    func refusedStep() async throws {
        let step = Self.stepID(1)
        try await learn([VaultShop.badge("1")])
        var batch = try Self.batch([VaultShop.badge("2")])
        batch.step = step
        batch.expectedVersion = 7
        guard case .stale = try await vault.commit(batch) else {
            throw ConformanceFailure("a batch for another version was not reported as stale")
        }
        expect(try await vault.wasWritten(step), is: false, "whether a stale step was written")
        batch.expectedVersion = nil
        batch.expectedOwn = []
        _ = try await division(of: batch)
        expect(try await vault.wasWritten(step), is: false, "whether a divided step was written")
        batch.expectedOwn = nil
        try await commit(batch)
        expect(try await vault.wasWritten(step), is: true, "whether the step was written in the end")
    }

    func rememberedStep() async throws {
        for day in 1...7 {
            for hour in 0..<4 {
                var batch = try Self.batch(
                    [VaultShop.badge(Transaction.ID(rawValue: "\(day)-\(hour)"))], at: .day(day))
                batch.step = Self.stepID(UInt64(day * 10 + hour))
                try await commit(batch)
            }
        }
        for day in 1...7 {
            for hour in 0..<4 {
                let isWritten = try await vault.wasWritten(Self.stepID(UInt64(day * 10 + hour)))
                expect(isWritten, is: true, "whether a step of day \(day) is remembered")
            }
        }
    }
}

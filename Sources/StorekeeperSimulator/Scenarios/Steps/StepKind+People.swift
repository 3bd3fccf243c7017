import Storekeeper

extension StepKind.Key {
    static let storefront = StepKey<String>.country("storefront", placeholder: "USA")
    static let newStorefront = StepKey<String>.country("to", placeholder: "DEU").required()
    static let version = StepKey<String>.text("version")
    static let revoked = StepKey<Bool>.flag("revoked", .text(placeholder: ""))
    static let relative = StepKey<CustomerID>.person("of", label: "the family of").required()
}

extension StepKind {
    /// The steps about Apple Accounts, families and settings.
    static let ofPeople: [StepKind] = [
        StepKind(
            "new person", .newPerson, "creates an Apple Account", [Key.storefront],
            form: .store(title: "New customer")
        ) { step throws(ScenarioError) in
            let storefront = step[Key.storefront]
            return .createAccount(CustomerID(rawValue: try step.value.text(step.word)), storefront: storefront)
        } writes: {
            if case .createAccount(let name, let storefront) = $0 {
                .person(name, Key.storefront(storefront))
            } else {
                nil
            }
        },
        StepKind(
            "storefront", .person, "moves a person to another storefront", [Key.newStorefront],
            form: .customer(rank: 2)
        ) {
            .setStorefront($0[Key.newStorefront] ?? "", of: $0.subjectPerson())
        } writes: {
            if case .setStorefront(let country, let name) = $0 {
                .person(name, Key.newStorefront(country))
            } else {
                nil
            }
        },
        StepKind(
            "app transaction", .person, "sets when, and in which version, a person first got the app",
            [Key.version, Key.date, Key.revoked], form: .customer(rank: 2)
        ) {
            .setAppTransaction(
                of: $0.subjectPerson(), version: $0[Key.version], purchasedAt: $0[Key.date],
                isRevoked: $0[Key.revoked])
        } writes: {
            if case .setAppTransaction(let name, let version, let date, let isRevoked) = $0 {
                .person(name, Key.version(version), Key.date(date), Key.revoked(isRevoked))
            } else {
                nil
            }
        },
        StepKind(
            "new family", .person, "creates a family with its organiser", form: .customer { $0.family == nil }
        ) {
            .createFamily(organizer: $0.subjectPerson())
        } writes: {
            if case .createFamily(let name) = $0 { .person(name) } else { nil }
        },
        StepKind(
            "join family", .person, "adds a person to another's family", [Key.relative],
            form: .customer { $0.family == nil }
        ) { step throws(ScenarioError) in
            let other = try step.needed(Key.relative)
            return .joinFamily(step.subjectPerson(), of: other)
        } writes: {
            if case .joinFamily(let name, let other) = $0 { .person(name, Key.relative(other)) } else { nil }
        },
        StepKind(
            "leave family", .person, "removes a person from their family", form: .customer { $0.family != nil }
        ) {
            .leaveFamily($0.subjectPerson())
        } writes: {
            if case .leaveFamily(let name) = $0 { .person(name) } else { nil }
        },
        StepKind(
            "make organizer", .person, "makes a member the organiser",
            form: .customer { account in account.family.map { $0.organizer != account.name } ?? false }
        ) {
            .makeOrganizer($0.subjectPerson())
        } writes: {
            if case .makeOrganizer(let name) = $0 { .person(name) } else { nil }
        },
        StepKind(
            "share", .product(), "shares a product with the family", form: .product { $0.family != nil }
        ) {
            .shareProduct(true, product: $0.product(), by: $0.person())
        } writes: {
            if case .shareProduct(true, let id, let name) = $0 { .product(id, by: name) } else { nil }
        },
        StepKind(
            "stop sharing", .product(), "stops sharing a product", form: .product { $0.family != nil }
        ) {
            .shareProduct(false, product: $0.product(), by: $0.person())
        } writes: {
            if case .shareProduct(false, let id, let name) = $0 { .product(id, by: name) } else { nil }
        },
        StepKind(
            "share purchases", .person, "turns purchase sharing of a family on",
            form: .customer { $0.family?.sharesPurchases == false }
        ) {
            .setPurchaseSharing(true, of: $0.subjectPerson())
        } writes: {
            if case .setPurchaseSharing(true, let name) = $0 { .person(name) } else { nil }
        },
        StepKind(
            "stop sharing purchases", .person, "turns purchase sharing of a family off",
            form: .customer { $0.family?.sharesPurchases == true }
        ) {
            .setPurchaseSharing(false, of: $0.subjectPerson())
        } writes: {
            if case .setPurchaseSharing(false, let name) = $0 { .person(name) } else { nil }
        },
        StepKind("set", .setting, "changes settings of the test environment", form: .store()) { step in
            let before = step.value.mistakes.count
            let settings = step.value.isEmpty ? [] : ScenarioSettings.read(step.value)
            if settings.isEmpty, step.value.mistakes.count == before {
                step.key.addMistake("'set' has no setting", "write it like 'grace period: 16 days'")
            }
            return .perform(settings.map { .setSetting($0) })
        } writesAction: { action, _ in
            guard case .perform(let commands) = action else { return nil }
            let settings = commands.compactMap { command -> SimulatorSetting? in
                if case .setSetting(let setting) = command { setting } else { nil }
            }
            guard !settings.isEmpty, settings.count == commands.count else { return nil }
            return StepValues(ScenarioWriter.mapping(settings), [])
        },
        StepKind("reset settings", .nothing, "resets all settings", form: .store()) { _ in
            .resetSettings
        } writes: {
            if case .resetSettings = $0 { .text("") } else { nil }
        },
    ]
}

import FoundationEssentials

extension Catalog {
    /// The names, descriptions and translations to include in the JSON of a catalog.
    package enum Texts: Hashable, Sendable {
        /// Only the default names, without translations.
        case names
        /// The names and descriptions, with their translations into all languages.
        case all
        /// The names, descriptions, prices and periods in one language.
        case localized(LocaleID)

        var locale: LocaleID? { if case .localized(let locale) = self { locale } else { nil } }
    }

    /// Returns the catalog as `storekeeper products` prints it, without diagnostics.
    ///
    /// The result is a valid list of products: reading it returns the same products, groups and features.
    package func json(_ texts: Texts) -> JSONText { .object(members(texts)) }

    /// The members of the JSON object.
    package func members(_ texts: Texts) -> [String: JSONText] {
        var members: [String: JSONText] = [
            "products": .array(products.map { $0.json(in: self, texts) }),
            "subscriptionGroups": .array(groups.map { $0.json(texts) }),
            "features": .array(
                features.map { feature in
                    .object([
                        "id": .text(feature.id), "products": .array(feature.productIDs.map { .text($0) }),
                        "paidPeriods": feature.paidPeriods ? .bool(true) : .null,
                        "originalVersionBefore": .text(feature.originalVersionBefore),
                        "originalPurchaseBefore": .time(feature.originalPurchaseBefore),
                    ])
                }),
        ]
        guard texts != .names else { return members }
        members["version"] = .text(version)
        members["locale"] = .text(texts.locale?.identifier)
        return members
    }
}

extension SubscriptionGroup {
    fileprivate func json(_ texts: Catalog.Texts) -> JSONText {
        var members: [String: JSONText] = [
            "id": .text(id), "name": .text(name), "products": .array(productIDs.map { .text($0) }),
        ]
        switch texts {
        case .names: break
        case .all:
            members["localizations"] =
                localizations.isEmpty
                ? .null
                : .array(
                    localizations.map {
                        .object([
                            "locale": .string($0.locale.identifier), "displayName": .text($0.displayName),
                            "customAppName": .text($0.customAppName), "description": .text($0.description),
                        ])
                    })
        case .localized(let locale): members["displayName"] = .text(displayName(in: locale))
        }
        return .object(members)
    }
}

extension Product {
    fileprivate func json(in catalog: Catalog, _ texts: Catalog.Texts) -> JSONText {
        let plans = subscription?.billingPlans ?? []
        let group = subscription?.subscriptionGroupID ?? catalog.group(containing: id)?.id
        var members: [String: JSONText] = [
            "id": .text(id), "type": .text(type?.word), "displayName": .text(displayName),
            "price": .money(price), "currency": .text(currencyCode),
            "familyShareable": isFamilyShareable.map(JSONText.bool) ?? .null,
            "subscriptionGroupID": .text(group), "groupLevel": .whole(subscription?.groupLevel),
            "period": .text(subscription?.subscriptionPeriod?.text),
            "offers": offers.isEmpty ? .null : .array(offers.map { json(of: $0, texts) }),
            "billingPlans": plans.isEmpty ? .null : .array(plans.map { json(of: $0, texts) }),
            "accessDuration": .text(accessDuration?.text),
            "stacking": stacking == .extend ? .string(stacking.rawValue) : .null,
            "members": members.isEmpty ? .null : .array(members.map { .text($0) }),
            "grants": grants.isEmpty
                ? .null
                : .members(
                    Dictionary(
                        uniqueKeysWithValues: grants.map {
                            (JSONText.MemberName($0.key.rawValue), JSONText.integer($0.value))
                        })),
        ]
        switch texts {
        case .names: break
        case .all:
            members["description"] = .text(description)
            members["localizations"] =
                localizations.isEmpty
                ? .null
                : .array(
                    localizations.map {
                        .object([
                            "locale": .string($0.locale.identifier), "displayName": .text($0.displayName),
                            "description": .text($0.description),
                        ])
                    })
        case .localized(let locale):
            members["displayName"] = .text(displayName(in: locale))
            members["description"] = .text(description(in: locale))
            members["displayPrice"] = .text(displayPrice(in: locale))
            members["periodText"] = .text(
                (subscription?.subscriptionPeriod ?? accessDuration)?.displayText(in: locale))
        }
        return .object(members)
    }

    private func json(of plan: BillingPlan, _ texts: Catalog.Texts) -> JSONText {
        .object([
            "type": .string(plan.type.word), "price": .money(plan.price),
            "commitmentPrice": .money(plan.commitmentPrice), "enabled": plan.isEnabled ? .null : .bool(false),
            "displayPrice": text(of: plan.price, texts),
        ])
    }

    private func json(of offer: SubscriptionOffer, _ texts: Catalog.Texts) -> JSONText {
        let eligibility = offer.eligibilityWords
        return .object([
            "kind": .string(offer.kind.rawValue), "id": .text(offer.id),
            "paymentMode": .text(offer.paymentMode?.rawValue), "period": .text(offer.period?.text),
            "periodCount": .whole(offer.periodCount), "price": .money(offer.price),
            "billingPlan": .text(offer.billingPlanType?.word),
            "eligibility": eligibility.isEmpty ? .null : .array(eligibility.map(JSONText.string)),
            "stackable": offer.kind == .code || offer.isStackable ? .bool(offer.isStackable) : .null,
            "eligible": offer.isEligible.map(JSONText.bool) ?? .null,
            "displayPrice": text(of: offer.price, texts),
            "periodText": texts.locale.map { .text(offer.period?.displayText(in: $0)) } ?? .null,
        ])
    }

    private func text(of amount: Decimal?, _ texts: Catalog.Texts) -> JSONText {
        guard let amount, let locale = texts.locale else { return .null }
        return .string(LocaleFormat(locale).price(amount, currency: currencyCode))
    }
}

extension SubscriptionOffer {
    /// The customers who may redeem the offer, in words and in a fixed order.
    package var eligibilityWords: [String] {
        CustomerEligibility.allCases.filter(eligibility.contains).map(\.word)
    }
}

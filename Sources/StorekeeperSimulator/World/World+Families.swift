import Storekeeper

extension World {
    /// How many people a family has at most.
    static let familyLimit = 6

    mutating func createFamily(of organizer: Int32) throws(SimulatorError) {
        guard accounts[Int(organizer)].family == nil else { throw alreadyInFamily(organizer) }
        accounts[Int(organizer)].family = Int32(families.count)
        families.append(Family(members: [organizer], organizer: organizer))
        tell(.familyChanged, account: organizer, note: "\(name(organizer)) makes a family")
    }

    mutating func join(_ account: Int32, familyOf other: Int32) throws(SimulatorError) {
        guard accounts[Int(account)].family == nil else { throw alreadyInFamily(account) }
        guard let family = accounts[Int(other)].family else {
            throw SimulatorError(.invalidAction, "'\(name(other))' has no family; make one first")
        }
        guard families[Int(family)].members.count < Self.familyLimit else {
            throw SimulatorError(.invalidAction, "a family has at most \(Self.familyLimit) people")
        }
        accounts[Int(account)].family = family
        families[Int(family)].members.append(account)
        tell(.familyChanged, account: account, note: "\(name(account)) joins the family of \(name(other))")
        shareAll(in: family)
    }

    mutating func leaveFamily(_ account: Int32) throws(SimulatorError) {
        guard let family = accounts[Int(account)].family else {
            throw SimulatorError(.invalidAction, "'\(name(account))' is in no family")
        }
        let members = families[Int(family)].members
        let leaving = families[Int(family)].organizer == account ? members : [account]
        tell(
            .familyChanged, account: account,
            note: leaving.count > 1 ? "the family of \(name(account)) ends" : "\(name(account)) leaves the family")
        families[Int(family)].members.removeAll { leaving.contains($0) }
        for member in leaving { accounts[Int(member)].family = nil }
        for member in members { endCopies(by: member, notIn: families[Int(family)].members) }
    }

    mutating func makeOrganizer(_ account: Int32) throws(SimulatorError) {
        guard let family = accounts[Int(account)].family else {
            throw SimulatorError(.invalidAction, "'\(name(account))' is in no family")
        }
        families[Int(family)].organizer = account
        tell(.familyChanged, account: account, note: "\(name(account)) becomes the organizer of the family")
    }

    mutating func setPurchaseSharing(_ isOn: Bool, ofFamilyOf account: Int32) throws(SimulatorError) {
        guard let family = accounts[Int(account)].family else {
            throw SimulatorError(.invalidAction, "'\(name(account))' is in no family")
        }
        guard families[Int(family)].sharesPurchases != isOn else { return }
        families[Int(family)].sharesPurchases = isOn
        tell(
            .familyChanged, account: account,
            note: "the family of \(name(account)) \(isOn ? "shares" : "no longer shares") purchases")
        if isOn {
            shareAll(in: family)
        } else {
            for member in families[Int(family)].members { endCopies(by: member, notIn: []) }
        }
    }

    mutating func setSharing(_ isOn: Bool, of product: Int32, by account: Int32, app: Int32) throws(SimulatorError) {
        guard apps[Int(app)].terms[Int(product)].isShareable else {
            throw SimulatorError(
                .invalidProductType, "'\(apps[Int(app)].product(product).id)' is not shared with families")
        }
        let download = download(of: account, app: app)
        if isOn {
            downloads[Int(download)].unshared.remove(product)
        } else {
            downloads[Int(download)].unshared.insert(product)
        }
        let words = isOn ? "shares" : "no longer shares"
        tell(.familyChanged, account: account, note: "\(name(account)) \(words) \(apps[Int(app)].product(product).id)")
        if isOn, let family = accounts[Int(account)].family {
            shareAll(in: family)
        } else {
            endCopies(by: account, notIn: [], product: product)
        }
    }

    private func name(_ account: Int32) -> CustomerID { accounts[Int(account)].name }

    private func alreadyInFamily(_ account: Int32) -> SimulatorError {
        SimulatorError(.invalidAction, "'\(name(account))' is in a family already")
    }

    // MARK: Who shares

    /// Those with whom a purchaser shares a product.
    private func sharers(of product: Int32, download: Int32) -> [Int32] {
        let purchaser = downloads[Int(download)].account
        guard let family = accounts[Int(purchaser)].family, families[Int(family)].sharesPurchases,
            apps[Int(downloads[Int(download)].app)].terms[Int(product)].isShareable,
            !downloads[Int(download)].unshared.contains(product)
        else { return [] }
        return families[Int(family)].members.filter { $0 != purchaser }
    }

    /// Gives everybody what the others of a family share and they do not have yet.
    private mutating func shareAll(in family: Int32) {
        for member in families[Int(family)].members {
            for download in accounts[Int(member)].downloads {
                for place in downloads[Int(download)].lines where lines[Int(place)].sharedFrom == nil {
                    if lines[Int(place)].isInService { shareCurrentPeriod(of: place) }
                }
                for number in numbers(of: download).reversed() { share(oneTime: number) }
            }
        }
    }

    // MARK: Subscriptions

    /// A period of a purchaser has begun: the family gets copies of it.
    mutating func share(periodOf place: Int32, kind: HappeningKind) {
        let line = lines[Int(place)]
        let sharers = sharers(of: line.product, download: line.download)
        for copy in copies[place] ?? [] where !sharers.contains(lines[Int(copy)].account) {
            revokeCopy(copy, reason: 0)
        }
        for member in sharers { copyPeriod(of: place, to: member, kind: kind) }
    }

    private mutating func shareCurrentPeriod(of place: Int32) {
        let line = lines[Int(place)]
        for member in sharers(of: line.product, download: line.download) {
            let copy = copies[place]?.first { lines[Int($0)].account == member }
            if let copy, lines[Int(copy)].isInService { continue }
            copyPeriod(of: place, to: member, kind: .subscribed)
        }
    }

    private mutating func copyPeriod(of place: Int32, to member: Int32, kind: HappeningKind) {
        let line = lines[Int(place)]
        let download = download(of: member, app: line.app)
        let number = newTransaction(of: line.product, download: download)
        let known = copies[place]?.first { lines[Int($0)].account == member }
        let copy: Int32
        var kindOfCopy = kind
        var old: Int32?
        if let known {
            copy = known
            old = lines[Int(copy)].current
            if !lines[Int(copy)].isInService, kind != .recovered { kindOfCopy = .resubscribed }
        } else {
            copy = Int32(lines.count)
            lines.append(
                SubscriptionLine(
                    download: download, account: member, app: line.app, group: line.group, sharedFrom: place,
                    original: number, product: line.product, period: line.anchorPeriod, at: line.startedAt))
            downloads[Int(download)].lines.append(copy)
            copies[place, default: []].append(copy)
            lines[Int(place)].isShared = true
            kindOfCopy = .subscribed
        }
        // A member's run of service is their own: it ends when they lose the copy, not only with the purchaser's.
        let isNewRun = known != nil && isNewRun(after: lines[Int(copy)], at: line.startedAt)
        if isNewRun { lines[Int(copy)].recentStart = line.startedAt }
        mirror(place, to: copy)
        lines[Int(copy)].current = number
        let isRenewal = kindOfCopy == .renewed || kindOfCopy == .recovered
        lastWebOrderLineItem += 1
        sign(
            TransactionRecord(
                number: number, original: lines[Int(copy)].original, download: download, line: copy,
                product: line.product, storefront: accounts[Int(member)].storefront,
                webOrderLineItem: lastWebOrderLineItem,
                flags: isRenewal ? [.isFamilyShared, .isRenewal] : .isFamilyShared, plan: line.plan,
                purchasedAt: line.startedAt, expiresAt: line.expiresAt, signedAt: now,
                commitmentPeriod: line.plan == .monthly ? line.commitmentPeriod : nil,
                commitmentExpiresAt: line.commitmentExpiresAt))
        tell(kindOfCopy, of: copy)
        if let old, kindOfCopy == .upgraded || kindOfCopy == .offerRedeemedWithUpgrade { supersede(old, in: copy) }
    }

    /// Something has happened to a purchaser's subscription without a new period.
    mutating func share(changeOf place: Int32, kind: HappeningKind) {
        guard lines[Int(place)].isShared else { return }
        // Who lost a copy when it expired gets none of a later product that is not shared.
        let (product, start) = (lines[Int(place)].product, lines[Int(place)].startedAt)
        for copy in copies[place] ?? []
        where lines[Int(copy)].phase != .revoked && lines[Int(copy)].product == product
            && lines[Int(copy)].startedAt == start
        {
            mirror(place, to: copy)
            switch kind {
            case .renewalExtended:
                let end = lines[Int(place)].expiresAt
                resign(lines[Int(copy)].current) { $0.expiresAt = end }
                tell(kind, of: copy)
            case .autoRenewEnabled, .autoRenewDisabled: signRenewal(of: copy)
            default: tell(kind, of: copy)
            }
        }
    }

    /// Makes a copy's state that of the purchaser's line.
    private mutating func mirror(_ place: Int32, to copy: Int32) {
        let line = lines[Int(place)]
        lines[Int(copy)].phase = line.phase
        lines[Int(copy)].product = line.product
        lines[Int(copy)].plan = line.plan
        lines[Int(copy)].startedAt = line.startedAt
        lines[Int(copy)].expiresAt = line.expiresAt
        lines[Int(copy)].autoRenews = line.autoRenews
        lines[Int(copy)].nextProduct = line.nextProduct
        lines[Int(copy)].nextPlan = line.nextPlan
        lines[Int(copy)].graceEndsAt = line.graceEndsAt
        lines[Int(copy)].retryEndsAt = line.retryEndsAt
        lines[Int(copy)].expirationIntent = line.expirationIntent
        lines[Int(copy)].lapsedAt = line.lapsedAt
        lines[Int(copy)].commitmentPeriod = line.commitmentPeriod
        lines[Int(copy)].commitmentExpiresAt = line.commitmentExpiresAt
        lines[Int(copy)].commitmentRenews = line.commitmentRenews
    }

    private mutating func revokeCopy(_ copy: Int32, reason: RevocationReason.RawValue) {
        guard lines[Int(copy)].isInService || lines[Int(copy)].phase == .retry else { return }
        let revocation = Revocation(at: now, reason: reason, kind: .family, percentage: nil)
        if let running = runningBefore(lines[Int(copy)]) { resign(running) { $0.revocation = revocation } }
        resign(lines[Int(copy)].current) { $0.revocation = revocation }
        lines[Int(copy)].phase = .revoked
        lines[Int(copy)].autoRenews = false
        lines[Int(copy)].commitmentRenews = false
        lines[Int(copy)].lapsedAt = now
        lines[Int(copy)].graceEndsAt = nil
        lines[Int(copy)].expirationIntent = nil
        tell(.familyAccessEnded, of: copy)
    }

    /// The purchaser was refunded.
    mutating func endCopies(of place: Int32, reason: RevocationReason.RawValue) {
        for copy in copies[place] ?? [] { revokeCopy(copy, reason: reason) }
    }

    /// That refund was taken back.
    mutating func restoreCopies(of place: Int32) {
        let sharers = sharers(of: lines[Int(place)].product, download: lines[Int(place)].download)
        for copy in copies[place] ?? []
        where lines[Int(copy)].phase == .revoked && sharers.contains(lines[Int(copy)].account) {
            resign(lines[Int(copy)].current) { $0.revocation = nil }
            mirror(place, to: copy)
            tell(.resubscribed, of: copy)
        }
    }

    // MARK: One-time purchases

    /// Gives the family what somebody has bought for good.
    mutating func share(oneTime number: Int32) {
        let state = transactions[Int(number)]
        guard !state.isDeleted, let latest = state.latest else { return }
        let record = records[Int(latest)]
        guard record.line == nil, record.revocation == nil, !record.flags.contains(.isFamilyShared) else { return }
        for member in sharers(of: record.product, download: record.download) {
            let download = download(of: member, app: downloads[Int(record.download)].app)
            let known = oneTimeCopies[number]?.first { transactions[Int($0)].download == download }
            if let known {
                guard let place = transactions[Int(known)].latest, records[Int(place)].revocation != nil else {
                    continue
                }
                resign(known) { $0.revocation = nil }
                tell(.oneTimePurchased, ofTransaction: known)
                continue
            }
            let copy = newTransaction(of: record.product, download: download)
            oneTimeCopies[number, default: []].append(copy)
            sign(
                TransactionRecord(
                    number: copy, original: copy, download: download, product: record.product,
                    storefront: accounts[Int(member)].storefront, flags: .isFamilyShared,
                    purchasedAt: now, signedAt: now))
            tell(.oneTimePurchased, ofTransaction: copy)
        }
    }

    private mutating func revokeOneTimeCopy(_ copy: Int32, reason: RevocationReason.RawValue) {
        guard !transactions[Int(copy)].isDeleted, let latest = transactions[Int(copy)].latest,
            records[Int(latest)].revocation == nil
        else { return }
        let revocation = Revocation(at: now, reason: reason, kind: .family, percentage: nil)
        resign(copy) { $0.revocation = revocation }
        tell(.familyAccessEnded, ofTransaction: copy)
    }

    mutating func endCopies(ofTransaction number: Int32, reason: RevocationReason.RawValue) {
        for copy in oneTimeCopies[number] ?? [] { revokeOneTimeCopy(copy, reason: reason) }
    }

    mutating func restoreCopies(ofTransaction number: Int32) { share(oneTime: number) }

    /// Ends what somebody shared with people who are not among some.
    private mutating func endCopies(by purchaser: Int32, notIn members: [Int32], product: Int32? = nil) {
        let isStill = members.contains(purchaser)
        for download in accounts[Int(purchaser)].downloads {
            for place in downloads[Int(download)].lines where product == nil || lines[Int(place)].product == product {
                for copy in copies[place] ?? [] where !isStill || !members.contains(lines[Int(copy)].account) {
                    revokeCopy(copy, reason: 0)
                }
            }
            for number in numbers(of: download) {
                for copy in oneTimeCopies[number] ?? []
                where product == nil || transactions[Int(copy)].product == product {
                    let account = downloads[Int(transactions[Int(copy)].download)].account
                    if !isStill || !members.contains(account) { revokeOneTimeCopy(copy, reason: 0) }
                }
            }
        }
    }
}

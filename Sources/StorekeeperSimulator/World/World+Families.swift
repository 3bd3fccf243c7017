import Storekeeper

extension World {
    /// The maximum number of people in a family.
    static let familyLimit = 6

    mutating func createFamily(of organizer: RowIndex<Account>) throws(SimulatorError) {
        guard accounts[organizer].family == nil else { throw alreadyInFamily(organizer) }
        accounts[organizer].family = families.append(Family(members: [organizer], organizer: organizer))
        log(.familyChanged, account: organizer, note: "\(name(organizer)) creates a family")
    }

    mutating func join(_ account: RowIndex<Account>, familyOf other: RowIndex<Account>) throws(SimulatorError) {
        guard accounts[account].family == nil else { throw alreadyInFamily(account) }
        guard let family = accounts[other].family else {
            throw SimulatorError(.invalidAction, "'\(name(other))' has no family; create one first")
        }
        guard families[family].members.count < Self.familyLimit else {
            throw SimulatorError(.invalidAction, "a family has at most \(Self.familyLimit) people")
        }
        accounts[account].family = family
        families[family].members.append(account)
        log(.familyChanged, account: account, note: "\(name(account)) joins the family of \(name(other))")
        shareAll(in: family)
    }

    mutating func leaveFamily(_ account: RowIndex<Account>) throws(SimulatorError) {
        let family = try family(of: account)
        let members = families[family].members
        let leaving = families[family].organizer == account ? members : [account]
        log(
            .familyChanged, account: account,
            note: leaving.count > 1 ? "the family of \(name(account)) ends" : "\(name(account)) leaves the family")
        families[family].members.removeAll { leaving.contains($0) }
        for member in leaving { accounts[member].family = nil }
        for member in members { endCopies(by: member, notIn: families[family].members) }
    }

    mutating func makeOrganizer(_ account: RowIndex<Account>) throws(SimulatorError) {
        families[try family(of: account)].organizer = account
        log(.familyChanged, account: account, note: "\(name(account)) becomes the organizer of the family")
    }

    mutating func setPurchaseSharing(_ isOn: Bool, ofFamilyOf account: RowIndex<Account>) throws(SimulatorError) {
        let family = try family(of: account)
        guard families[family].sharesPurchases != isOn else { return }
        families[family].sharesPurchases = isOn
        log(
            .familyChanged, account: account,
            note: "the family of \(name(account)) \(isOn ? "shares" : "no longer shares") purchases")
        if isOn {
            shareAll(in: family)
        } else {
            for member in families[family].members { endCopies(by: member, notIn: []) }
        }
    }

    mutating func setSharing(
        _ isOn: Bool, of product: RowIndex<ProductTerms>, by account: RowIndex<Account>, app: RowIndex<App>
    ) throws(SimulatorError) {
        let id = apps[app].product(product).id
        guard apps[app].terms[product].isShareable else {
            throw SimulatorError(.invalidProductType, "'\(id)' is not shared with families")
        }
        let download = download(of: account, app: app)
        if isOn {
            downloads[download].unshared.remove(product)
        } else {
            downloads[download].unshared.insert(product)
        }
        log(
            .familyChanged, account: account,
            note: "\(name(account)) \(isOn ? "shares" : "no longer shares") \(id)")
        if isOn, let family = accounts[account].family {
            shareAll(in: family)
        } else {
            endCopies(by: account, notIn: [], product: product)
        }
    }

    private func name(_ account: RowIndex<Account>) -> CustomerID { accounts[account].name }

    private func family(of account: RowIndex<Account>) throws(SimulatorError) -> RowIndex<Family> {
        guard let family = accounts[account].family else {
            throw SimulatorError(.invalidAction, "'\(name(account))' has no family")
        }
        return family
    }

    private func alreadyInFamily(_ account: RowIndex<Account>) -> SimulatorError {
        SimulatorError(.invalidAction, "'\(name(account))' is already in a family")
    }

    // MARK: Sharing

    /// Returns the members with whom a purchaser shares a product.
    func sharers(of product: RowIndex<ProductTerms>, download: RowIndex<Download>) -> [RowIndex<Account>] {
        let purchaser = downloads[download].account
        guard let family = accounts[purchaser].family, families[family].sharesPurchases,
            apps[downloads[download].app].terms[product].isShareable,
            !downloads[download].unshared.contains(product)
        else { return [] }
        return families[family].members.filter { $0 != purchaser }
    }

    /// Creates copies of all shared purchases in a family, for the members who have no copy yet.
    private mutating func shareAll(in family: RowIndex<Family>) {
        for member in families[family].members {
            for download in accounts[member].downloads {
                for place in downloads[download].subscriptions where subscriptions[place].sharedFrom == nil {
                    if subscriptions[place].isInService { shareCurrentPeriod(of: place) }
                }
                for transaction in transactions(of: download).reversed() { shareOneTimePurchase(transaction) }
            }
        }
    }

    /// Revokes family members' copies of a purchaser's products.
    ///
    /// - Parameters:
    ///   - purchaser: The purchaser.
    ///   - members: The accounts that keep their copies. If the purchaser is not one of these accounts, every copy is
    ///     revoked.
    ///   - product: The product; `nil` for all products.
    private mutating func endCopies(
        by purchaser: RowIndex<Account>, notIn members: [RowIndex<Account>], product: RowIndex<ProductTerms>? = nil
    ) {
        let isImmutable = members.contains(purchaser)
        for download in accounts[purchaser].downloads {
            for place in downloads[download].subscriptions
            where product == nil || subscriptions[place].service.product == product {
                for copy in copies[place] ?? [] where !isImmutable || !members.contains(subscriptions[copy].account) {
                    revokeCopy(copy, reason: 0)
                }
            }
            for transaction in transactions(of: download) {
                for copy in oneTimeCopies[transaction] ?? []
                where product == nil || transactions[copy].product == product {
                    let account = downloads[transactions[copy].download].account
                    if !isImmutable || !members.contains(account) { revokeOneTimeCopy(copy, reason: 0) }
                }
            }
        }
    }
}

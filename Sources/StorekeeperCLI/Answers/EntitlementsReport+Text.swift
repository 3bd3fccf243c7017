import Storekeeper

extension EntitlementsReport {
    /// The answers for a person.
    func lines(_ style: TerminalStyle) -> [String] {
        var sections = [heading(style)]
        let neverBought = neverBought
        let products = productTable(without: Set(neverBought))
        if inquiry.isEmpty, inquiry.isFromVault, let knownAt = inquiry.settings.asKnownAt {
            sections.append(["The vault knew nothing of this customer by \(knownAt)."])
        } else if inquiry.isEmpty, inquiry.isFromVault {
            sections.append([
                "The vault has nothing of this customer. Check the id, or take in what the App Store says with "
                    + "'storekeeper vault import --customer ID'."
            ])
        } else if inquiry.isEmpty {
            sections.append([
                "There is no evidence, so nothing was bought as far as it shows. If that surprises you, fetch the "
                    + "customer's transaction history again."
            ])
        } else if products.isEmpty, neverBought.isEmpty {
            sections.append([
                inquiry.resolution.products.isEmpty
                    ? "No product is known. Name the catalog with --catalog FILE, or give evidence that holds purchases."
                    : "No product has that answer. Leave out --only to see all \(inquiry.resolution.products.count)."
            ])
        } else if !products.isEmpty {
            sections.append(products.lines(style, painting: 1) { text, word in style.painted(text, answer: word) })
        }
        if !neverBought.isEmpty {
            sections.append([style.dim("Never bought: \(neverBought.joined(separator: ", ")).".onOneLine)])
        }
        for table in [groupTable, featureTable, balanceTable] where !table.isEmpty {
            sections.append(table.lines(style, painting: 1) { text, word in style.painted(text, answer: word) })
        }
        return Array(sections.joined(separator: [""]))
    }

    private func heading(_ style: TerminalStyle) -> [String] {
        let at = inquiry.at
        let proof =
            inquiry.isVerified
            ? style.dim("all evidence that counts is verified")
            : style.yellow("NOT VERIFIED: nobody checked signatures")
        let next =
            inquiry.nextChange.map { RelativeTime.text($0, at: at) } ?? "none that is known"
        return ["At \(at), \(proof).", "Next change: \(next)."]
    }

    private func productTable(without neverBought: Set<Product.ID>) -> TextTable {
        var table = TextTable("PRODUCT", "ANSWER", "REASON", "SINCE", "UNTIL", "TRANSACTION", "HOW")
        for product in products where !neverBought.contains(product.id) {
            let answer = product.timeline.value(at: inquiry.at)
            let run = product.timeline.run(at: inquiry.at)
            let transaction = answer.basis?.transaction
            table.add(
                product.id, answer.word, answer.reasonWord, run.from?.description ?? "",
                run.to.map { RelativeTime.text($0, at: inquiry.at) } ?? "", transaction?.id.rawValue ?? "",
                transaction.map { how($0) } ?? "")
        }
        return table
    }

    /// The products that were never bought: listed by name, unless they are what is asked for.
    private var neverBought: [Product.ID] {
        guard only == nil else { return [] }
        return products.filter { product in
            if case .never = product.timeline.value(at: inquiry.at) { true } else { false }
        }.map(\.id)
    }

    /// How the customer came to a transaction; that it was bought in production goes without saying.
    private func how(_ transaction: Transaction) -> String {
        let environment = transaction.environment == .production ? "" : " in \(transaction.environment.rawValue)"
        return transaction.ownershipType.word + environment
    }

    private var groupTable: TextTable {
        var table = TextTable("GROUP", "STATE", "PRODUCT", "LEVEL", "PERIOD ENDS", "THEN", "HOW")
        for timeline in inquiry.resolution.groups {
            for status in timeline.statuses(at: inquiry.at) {
                table.add(
                    timeline.group.name ?? timeline.group.id, status.state.rawValue, status.transaction.productID,
                    status.groupLevel.map(String.init) ?? "",
                    status.transaction.expiresAt.map { RelativeTime.text($0, at: inquiry.at) } ?? "",
                    prospect(of: status),
                    how(status.transaction))
            }
        }
        return table
    }

    /// What comes after the period, as far as the renewal info says.
    private func prospect(of status: SubscriptionStatus) -> String {
        switch status.state {
        case .inGracePeriod:
            return status.gracePeriodExpiresAt.map { "grace until \(RelativeTime.text($0, at: inquiry.at))" } ?? ""
        case .inBillingRetryPeriod:
            return
                "billing is retried until \(RelativeTime.text(status.billingRetryEndsAt, at: inquiry.at)) at the latest"
        case .expired: return status.expirationReason == .unknown ? "" : status.expirationReason?.word ?? ""
        case .revoked: return ""
        case .subscribed:
            guard let info = status.renewalInfo?.renewalInfo, let renewal = info.autoRenewStatus else { return "" }
            guard renewal == .on else { return "ends" }
            let next = info.autoRenewProductID.map { $0 == status.transaction.productID ? "" : " as \($0)" }
            return "renews\(next ?? "")"
        }
    }

    private var featureTable: TextTable {
        var table = TextTable("FEATURE", "ANSWER", "REASON", "BY", "UNTIL")
        for feature in inquiry.resolution.features {
            let answer = feature.timeline.value(at: inquiry.at)
            table.add(
                feature.id, answer.answer.word, answer.answer.reasonWord, answer.productID ?? "",
                feature.timeline.run(at: inquiry.at).to.map { RelativeTime.text($0, at: inquiry.at) } ?? "")
        }
        return table
    }

    private var balanceTable: TextTable {
        guard inquiry.isFromVault else {
            var table = TextTable("BALANCE", "UNITS", "BOUGHT", "TAKEN BACK")
            for balance in inquiry.balances {
                table.add(balance.id, String(balance.amount), String(balance.credited), String(balance.clawedBack))
            }
            return table
        }
        var table = TextTable("BALANCE", "UNITS", "CREDITED", "SPENT", "TAKEN BACK", "RESTORED")
        for balance in inquiry.balances {
            table.add(
                balance.id, String(balance.amount), String(balance.credited), String(balance.spent),
                String(balance.clawedBack), String(balance.restored))
        }
        return table
    }
}

extension TerminalStyle {
    /// A text in the colour of an answer or state: green has access, yellow may lose it soon, red has lost it.
    func painted(_ text: String, answer word: String) -> String {
        switch word {
        case "entitled", "subscribed": green(text)
        case "pending", "unknown", "inGracePeriod", "inBillingRetryPeriod": yellow(text)
        case "lapsed", "expired", "revoked": red(text)
        case "never": dim(text)
        default: text
        }
    }
}

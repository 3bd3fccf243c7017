import FoundationEssentials
import Storekeeper
import StorekeeperCharts

/// The formats of times, numbers and prices in the language of the desk.
struct DeskFormat: Sendable {
    let texts: DeskTexts
    private let prices: LocaleFormat
    /// The groups of the catalog, for their names.
    private let groups: [SubscriptionGroup]

    init(_ texts: DeskTexts, groups: [SubscriptionGroup] = []) {
        self.texts = texts
        self.groups = groups
        prices = LocaleFormat(LocaleID(texts.language.rawValue))
    }

    /// Returns a time in UTC to the minute, or to the second if its seconds are not zero.
    func time(_ instant: Instant) -> String {
        let text = instant.toSeconds
        let (day, clock) = (text.prefix(10), text.dropFirst(11).dropLast())
        guard day.utf8.count == 10, instant.millisecondsSince1970.magnitude < 200_000_000_000_000 else { return text }
        let short = clock.hasSuffix(":00") ? clock.dropLast(3) : clock
        switch texts.language {
        case .english: return "\(day) \(short)"
        case .german:
            let parts = day.split(separator: "-")
            return parts.count == 3 ? "\(parts[2]).\(parts[1]).\(parts[0]) \(short)" : "\(day) \(short)"
        }
    }

    /// Returns the day of a time in UTC.
    func day(_ instant: Instant) -> String { String(time(instant).prefix { $0 != " " }) }

    /// Returns several names as one text, such as `pro, news and 380 coins`.
    func list(_ items: [String]) -> String {
        let most = 8
        guard items.count <= most else { return items.prefix(most).joined(separator: ", ") + ", …" }
        guard items.count > 1, let last = items.last else { return items.first ?? "" }
        return "\(items.dropLast().joined(separator: ", ")) \(texts(.and)) \(last)"
    }

    /// Returns a time with its distance from another time.
    func time(_ instant: Instant, since now: Instant) -> String { "\(time(instant)) (\(distance(instant, from: now)))" }

    /// Returns the distance of an instant from another instant in words, such as `3 days ago`, in the language of the
    /// desk.
    func distance(_ instant: Instant, from now: Instant) -> String {
        let parts = RelativeTime.words(for: instant, at: now).split(separator: " ").filter { $0 != "in" && $0 != "ago" }
        guard parts.count == 2, let count = UInt64(parts[0]) else { return texts(.now) }
        let unit = parts[1].hasSuffix("s") ? parts[1].dropLast() : parts[1]
        let words = texts.word(count == 1 ? "\(unit).one" : "\(unit).other", count: number(Int64(clamping: count)))
        return texts(instant > now ? .future : .past, ["span": words])
    }

    /// Returns the translated words of a timeline.
    ///
    /// - Parameter isPast: Whether the timeline marks the chosen ``DeskPlace/asKnownAt`` and not the present.
    func timelineWords(isPast: Bool) -> TimelineWords {
        let format = self
        return TimelineWords(
            translation: { format.texts.all[isPast && $0 == "timeline.now" ? DeskText.knownThen.rawValue : $0] },
            time: { format.time($0) }, distance: { format.distance($0, from: $1) },
            axisLabel: { format.axisLabel($0) }, caption: { format.texts.word("answer", $0.word) },
            reason: { "\(format.texts.word("reason", $0.reasonKey)) – \($0)" },
            due: { format.due($0) })
    }

    /// Translates a label of a time axis, which is a part of an ISO 8601 time.
    ///
    /// In German, `2026-03` becomes `03.2026`.
    private func axisLabel(_ label: String) -> String {
        let (day, clock) = (label.prefix { $0 != " " }, label.drop { $0 != " " })
        let parts = day.split(separator: "-")
        guard texts.language == .german, parts.count > 1, !day.hasPrefix("-") else { return label }
        return parts.reversed().joined(separator: ".") + (clock.isEmpty ? "" : ".\(clock)")
    }

    /// Returns a whole number with the language's separators.
    func number(_ value: Int64) -> String {
        let separator = texts.language == .german ? "." : ","
        let digits = Array(String(value.magnitude))
        var text = value < 0 ? "−" : ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place).isMultiple(of: 3) { text += separator }
            text.append(digit)
        }
        return text
    }

    /// Returns a number with its sign.
    func change(_ value: Int64) -> String { value > 0 ? "+\(number(value))" : number(value) }

    /// Returns the price of a transaction; `nil` if the transaction names no price.
    func price(of transaction: Transaction) -> String? {
        guard let amount = transaction.priceInMilliunits else { return nil }
        return prices.price(Decimal(thousandths: amount), currency: transaction.currencyCode)
    }

    /// Returns the product, the date and the price of a purchase.
    func purchase(_ transaction: Transaction) -> String {
        let text: DeskText = transaction.reason == .renewal ? .purchaseRenewed : .purchaseBought
        let words = texts(
            text, ["product": transaction.productID.rawValue, "time": time(transaction.purchasedAt)])
        return price(of: transaction).map { "\(words), \($0)" } ?? words
    }

    /// Returns what is due next, in the language of the desk.
    ///
    /// - Parameter now: The time from which the distance is given; `nil` leaves the distance out.
    func due(_ upcoming: Upcoming, since now: Instant? = nil) -> String {
        let when = now.map { time(upcoming.at, since: $0) } ?? time(upcoming.at)
        let answer = upcoming.answer.map { self.answer($0.word, $0.reasonKey) } ?? ""
        var parts = [
            texts.word("due", upcoming.event.rawValue).filling([
                "time": when, "product": upcoming.productID.rawValue, "from": upcoming.from?.rawValue ?? "–",
                "answer": answer,
            ])
        ]
        if let price = upcoming.price {
            parts.append(prices.price(price, currency: upcoming.currencyCode))
        }
        if let offer = upcoming.offer {
            parts.append(
                offer.isFreeTrial
                    ? texts(.noteTrial) : texts(.noteOffer, ["offer": offer.id?.rawValue ?? offer.type.word]))
        }
        return parts.joined(separator: " – ")
    }

    /// Returns a change of an answer in words.
    func change(_ change: StoreEvent.Change) -> String {
        func answer(_ answer: StoreEvent.Answer) -> String {
            answer.kind.map { texts.word("answer", $0.rawValue) } ?? texts.word("state", answer.word)
        }
        let subject =
            switch change.subject {
            case .product(let id): id.rawValue
            case .feature(let id): texts(.subjectFeature, ["name": id.rawValue])
            case .group(let id):
                texts(.groupSubject, ["name": groups.first { $0.id == id }?.name ?? id.rawValue])
            case .notification(let kind): kind.rawValue
            }
        return texts(
            .didAnswer, ["subject": subject, "after": answer(change.after), "before": answer(change.before)])
    }

    /// Returns an answer and its reason in the language of the desk, given the HTTP API's names for them.
    func answer(_ word: String, _ reason: String) -> String {
        "\(texts.word("answer", word)), \(texts.word("reason", reason))"
    }
}

extension DeskTexts {
    /// Returns the text of a key with a number in place of `{n}`.
    fileprivate func word(_ key: String, count: String) -> String {
        (all[key] ?? "{n}").replacing("{n}", with: count)
    }
}

import Storekeeper
import StorekeeperCharts
import StorekeeperPages

/// The present answers about the selected customer's products, as sentences at the top of the page.
struct PresentContent {
    struct Answer {
        let subject: String
        /// The product's id; `nil` if the id is already shown as the subject.
        let secondary: String?
        let word: String
        let mark: String
        let sentence: String
        /// A sentence about the next event, such as a renewal; if the answer gives no access, about the beginning of the
        /// answer.
        let time: String?
        let whyAddress: String
    }

    /// A balance of consumables.
    struct Balance {
        let units: String
        let id: String
        let sentence: String
    }

    let owner: String
    let answers: [Answer]
    let balances: [Balance]
    /// The link to the answers that are not listed.
    let rest: PageContent.Link?

    /// The maximum number of answers.
    private static let mostAnswers = 5
}

extension PresentContent {
    /// Creates the answers; `nil` if the customer never had a product and never bought a consumable.
    ///
    /// Answers that give access precede the other answers. In each of these two groups, the newest answers are first.
    init?(of customer: CustomerID, _ resolution: Resolution, at now: Instant, _ builder: PageBuilder) {
        let all = resolution.products.map { ($0, $0.timeline.value(at: now), $0.timeline.run(at: now)) }
            .filter { $0.1.kind != .never }
            .sorted { one, other in
                guard one.1.isEntitled == other.1.isEntitled else { return one.1.isEntitled }
                return one.2.from ?? .distantPast > other.2.from ?? .distantPast
            }
        let balances = PageBuilder.balances(in: resolution, at: now)
        guard !all.isEmpty || !balances.isEmpty else { return nil }
        let answers = builder.location.showing(.answers).with { $0.person = customer.rawValue }
        owner = customer.rawValue
        self.answers = all.prefix(Self.mostAnswers).map { product, answer, run in
            let time =
                answer.isEntitled
                ? resolution.upcoming(for: product.id, at: now).map { Self.sentence($0, at: now) }
                : run.from.map { "Since \(PageTime.text($0, at: now))." }
            return Answer(
                subject: builder.names[product.id], secondary: builder.names.secondary(product.id), word: answer.word,
                mark: answer.mark, sentence: answer.sentence, time: time,
                whyAddress: answers.with { $0.why = product.id.rawValue }.address + "#why")
        }
        self.balances = balances.prefix(Self.mostAnswers).map { id, totals in
            let taken = totals.clawedBack > 0 ? ", \(totals.clawedBack) taken back by refunds" : ""
            return Balance(
                units: String(totals.balance), id: id.rawValue,
                sentence: "\(totals.credited) bought\(taken). The App Store does not know how many were spent.")
        }
        rest =
            all.count > Self.mostAnswers
            ? PageContent.Link(
                label: "\(PageTexts.count(all.count - Self.mostAnswers, "other product"))", address: answers.address,
                isCurrent: false) : nil
    }

    /// Returns a sentence about the next event, such as a renewal with its time and price.
    private static func sentence(_ due: Upcoming, at now: Instant) -> String {
        let words = due.phrase { PageTime.text($0, at: now) }
        return words.prefix(1).uppercased() + words.dropFirst() + "."
    }
}

/// The template and the style of the present answers about a customer's products.
enum PresentTemplate {
    static let text = """
        <section class="present" data-live id="present" aria-labelledby="present-heading">
        <h2 id="present-heading">What {{owner}} owns now</h2>
        <ul class="panel">{{#answers}}<li><span class="answer {{word}}"><span aria-hidden="true">{{mark}}</span> {{word}}</span> <span class="subject">{{subject}}{{#secondary}} <span class="soft">{{secondary}}</span>{{/secondary}}</span> <span>{{sentence}}{{#time}} {{time}}{{/time}} <a href="{{whyAddress}}" data-key="now {{subject}} {{secondary}}">Why?<span class="unseen"> {{subject}}</span></a></span></li>
        {{/answers}}{{#balances}}<li><span class="answer balance">{{units}}</span> <span class="subject">{{id}}</span> <span>{{sentence}}</span></li>
        {{/balances}}{{#rest}}<li><a href="{{address}}" data-key="now others">{{label}}</a></li>{{/rest}}</ul>
        </section>

        """

    static let style = """
        .present { margin-bottom: var(--space-5); }
        .present ul { display: grid; grid-template-columns: max-content max-content minmax(0, 1fr); gap: var(--space-2) var(--space-5);
          margin-top: var(--space-2); padding-top: var(--space-3); padding-bottom: var(--space-3); }
        .present li { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; align-items: baseline; }
        .present .answer { text-align: center; }
        .present .subject { font-weight: 600; overflow-wrap: anywhere; }
        .present .subject .soft { font-weight: 400; font-size: var(--type-note); }
        @media (max-width: 60rem) {
          .present ul { grid-template-columns: max-content minmax(0, 1fr); }
          .present li > :last-child { grid-column: 1 / -1; }
        }

        """
}

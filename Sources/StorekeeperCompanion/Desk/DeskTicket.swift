import Storekeeper

/// The summary of a customer as plain text, for a ticket.
enum DeskTicket {
    /// The parts of the summary that are not about the customer.
    struct Head {
        let app: String
        /// The URL of the page, including the scheme and the host.
        let link: String
        /// The name of the operator.
        let author: String
        let time: Instant
    }

    private static let maximumRows = 10

    /// Returns the summary of a customer's page.
    ///
    /// Many ticket systems render Markdown. The summary is therefore a code block, except the link to the page, so that no
    /// name can become a link, an image or a mention.
    static func text(of page: DeskCustomer, _ head: Head, _ format: DeskFormat) -> String {
        let texts = format.texts
        var lines = ["\(page.customer) · \(head.app)", page.summary, page.stand]
        lines += [page.change].compactMap(\.self) + [texts(.utc)]
        func add(_ heading: DeskText, _ rows: [String]) {
            guard !rows.isEmpty else { return }
            lines += ["", texts(heading)] + rows.prefix(maximumRows).map { "- \($0)" }
        }
        func line(_ answer: DeskAnswers.Answer) -> String {
            let since = answer.since == "–" ? "" : ", " + texts(.detailSince, ["time": answer.since])
            let until = answer.until == "–" ? "" : ", " + texts(.detailExpires, ["time": answer.until])
            return "\(answer.id): \(answer.answer), \(answer.reason) [\(answer.code)]\(since)\(until)"
        }
        let answers = page.answers
        let owned = answers.products.map { product in
            line(product) + (product.by.isEmpty ? "" : ", " + texts(.detailTransaction, ["id": product.by]))
        }
        add(.ticketProducts, owned.isEmpty ? [answers.absence] : owned)
        add(
            .statusesHeading,
            answers.statuses.map { status in
                "\(status.group), \(status.product): \(status.state), \(texts(.columnEnds)) \(status.ends), "
                    + "\(texts(.columnRenews)): \(status.renews)"
            })
        add(.featuresHeading, answers.features.map(line))
        add(.balancesHeading, page.balances.map { "\($0.id): \($0.sum)" })
        add(
            .ticketRecent,
            page.moments.map { moment in
                let change = moment.change.isEmpty ? "" : " (\(moment.change) → \(moment.after))"
                return "\(moment.time) \(moment.what)\(change)" + (moment.details.isEmpty ? "" : " – \(moment.details)")
            })
        lines += [""] + page.notes.map { "\($0.label): \($0.value)" }
        lines += page.diagnostics.map { "\($0.meaning) – \($0.message)" }
        lines.append(texts(.ticketBy, ["name": head.author, "time": format.time(head.time)]))
        let text = lines.map(\.onOneTextLine).joined(separator: "\n")
        let fence = text.codeFence
        let link = "\(texts(.ticketLink)): \(head.link)".onOneTextLine
        return [link, "", fence, text, fence].joined(separator: "\n") + "\n"
    }
}

extension String {
    /// The text with blanks in place of line breaks, control characters and marks that reverse the direction of text, so
    /// that a name cannot look like another line or another name.
    fileprivate var onOneTextLine: String {
        var text = ""
        for scalar in unicodeScalars {
            let isBreak = scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
            text.unicodeScalars.append(isBreak || scalar.properties.isBidiControl ? " " : scalar)
        }
        return text
    }

    /// The line that begins and ends a code block with this text: more backticks than the text has anywhere in a row.
    ///
    /// - SeeAlso: CommonMark, "Fenced code blocks".
    fileprivate var codeFence: String {
        var (longest, length) = (2, 0)
        for byte in utf8 {
            length = byte == UInt8(ascii: "`") ? length + 1 : 0
            longest = max(longest, length)
        }
        return String(repeating: "`", count: longest + 1)
    }
}

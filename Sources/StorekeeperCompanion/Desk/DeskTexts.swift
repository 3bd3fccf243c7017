import StorekeeperCharts
import StorekeeperPages

/// The languages of the desk, the default first.
enum DeskLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"

    /// The name of the language, in the language itself.
    var name: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        }
    }

    /// Returns the language of the desk that a reader prefers.
    ///
    /// - Parameter header: The header `Accept-Language`; `nil` if the client sends none.
    /// - SeeAlso: RFC 9110, section 12.5.4.
    static func preferred(by header: String?) -> DeskLanguage {
        var best: (language: DeskLanguage, weight: Double)?
        for range in (header ?? "").prefix(1_000).split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard let tag = parts.first?.split(separator: "-").first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            guard weight > best?.weight ?? 0, let language = DeskLanguage(rawValue: String(tag)) else { continue }
            best = (language, weight)
        }
        return best?.language ?? .english
    }
}

/// The texts of the desk in one language.
///
/// Templates name a text `{{text.key}}`. The file `DeskTexts.txt` has the keys, each followed by a line for each language;
/// names in braces are replaced by values. To translate the desk, add the language to ``DeskLanguage`` and a line to each
/// text of the file. A test names the missing lines.
struct DeskTexts: Sendable {
    let language: DeskLanguage
    /// The texts by their keys.
    let all: [String: String]

    /// The texts for a page, without the texts for words of the HTTP API and for timelines.
    let page: [String: String]

    private init(reading language: DeskLanguage) {
        self.language = language
        all = Self.table.mapValues { $0[language.rawValue] ?? $0[DeskLanguage.english.rawValue] ?? "" }
        page = all.filter { !$0.key.contains(".") }
    }

    private static let byLanguage = Dictionary(
        uniqueKeysWithValues: DeskLanguage.allCases.map { ($0, DeskTexts(reading: $0)) })

    init(_ language: DeskLanguage) { self = Self.byLanguage[language] ?? DeskTexts(reading: language) }

    /// Returns a text with values in place of the names in braces.
    func callAsFunction(_ text: DeskText, _ values: KeyValuePairs<String, String> = [:]) -> String {
        self(key: text.rawValue, values) ?? text.rawValue
    }

    /// Returns the text for a word of the HTTP API, such as `answer.entitled`; the word itself if it has no text.
    func word(_ kind: String, _ word: String) -> String { self(key: "\(kind).\(word)", [:]) ?? word }

    private func callAsFunction(key: String, _ values: KeyValuePairs<String, String>) -> String? {
        all[key]?.filling(values)
    }

    /// The texts by key and language.
    static let table: [String: [String: String]] = {
        var table = timelineTexts.mapValues { [DeskLanguage.english.rawValue: $0] }
        var key = ""
        for line in String(decoding: PackageResources.DeskTexts_txt, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("  ") {
                let parts = line.dropFirst(2).split(separator: " ", maxSplits: 1)
                guard parts.count == 2 else { continue }
                table[key, default: [:]][String(parts[0])] = String(parts[1])
            } else {
                key = String(line)
            }
        }
        return table
    }()

    /// The English texts of timelines, which the file translates or replaces.
    private static let timelineTexts: [String: String] = {
        let texts =
            TimelineWords.Text.allCases.map { ("timeline.\($0)", $0.rawValue) }
            + TimelineText.allCases.map { ("timeline.\($0.name)", $0.rawValue) }
            + TimelineChart.SegmentStyle.allCases.map { ("look.\($0.rawValue)", $0.meaning) }
            + TimelineChart.Event.Kind.allCases.map { ("event.\($0.rawValue)", $0.words) }
        return Dictionary(uniqueKeysWithValues: texts)
    }()
}

/// The keys of the texts, except the keys for words of the HTTP API.
enum DeskText: String, CaseIterable, Sendable {
    case skip, heading, readOnly, signedInAs, lastNotification, noNotification, utc, languages, pages, customers,
        searchForm, searchLabel, searchButton, searchHint, searchAnswers, recentHeading, searchTitle, searchNothing,
        searchedWhat,
        searchedOrders,
        searchedNoOrders, searchedForeign, searchedOrderFailed, searchAdvice, searchSeveral, searchMore, searchUnowned,
        searchUnstored, claimCustomer,
        columnCustomer, columnFound, unknownCustomer, keyHeading, keyHint,
        keyOther, refusedHeading, title, summaryLost, summaryRefunded, summaryRefundedPart, summaryHas,
        summaryNothing, summaryPending, summaryUnknown, and,
        answeredAt, answeredThen, nextChange, pastBanner,
        backToNow, sections, appleHeard, appleNever, wholeHistory, firstPurchase, firstLearned, family, familyNone,
        familyMember, familyEnded, familySharer, whyHeading, whySince, whyDecides, whySteps, whyEarlier, whyIdle,
        whyLater, whyNext,
        whyNoNext, close, why, productsHeading, productsNone, productsOnlyConsumables, productsNoneKnown,
        neverBought, neverKnown, notAllShown,
        columnProduct, columnAnswer, columnReason, columnSince, columnUntil, columnBy,
        statusesHeading, columnGroup, columnState, columnLevel, columnEnds, columnRenews, columnAccess, yes, no,
        notKnown, wasToRenew, featuresHeading, columnFeature, balancesHeading, columnBalance, columnBought,
        columnGranted, columnSpent, columnTakenBack, columnLeft, balanceSum, timelineHeading, knownThen,
        asText, columnFrom, travelForm,
        travelAt, travelKnown, travelButton, travelHint, dayEarlier, dayLater, monthEarlier, monthLater, asKnownThen,
        answersThen, transactionsHeading, transactionsNone, columnTransaction,
        columnPurchased, columnExpires, columnPrice, noteRenewal, noteFamily, noteAssigned,
        noteUpgraded, noteQuantity, noteOffer, noteTrial, noteRefunded, noteSharingEnded, noteEnvironment, older,
        newest, offersHeading, columnOffer, actHeading, columnLinks, grantsHeading, grantsNone, columnRevoke,
        revoke, grantRevoked, revokeForm, revokeQuestion, revokeButton, recordedAs, reason, grantForm,
        grantConfirmForm, grantQuestion, grantAlready, grantSubject, grantLength, lengthDay, lengthWeek, lengthMonth,
        lengthPeriod, grantUntil, grantButton, grantConfirm, grantDone, revokeDone,
        undo, undoReason, subjectFeature,
        mistakeSubject, mistakeTime, mistakeMoment, mistakePast, mistakeReason, actionsHeading, scopeNeeded, scopeOr,
        actionGrant, actionFetch, fetchQuestion, fetchButton, fetchNoKey, fetchNoPurchase, fetchDone, fetchPartial,
        fetchFailed,
        actionClaim, claimHint, claimLabel, claimButton, claimForm, claimQuestion, claimFetchQuestion, claimNewCustomer,
        purchaseBought,
        purchaseRenewed, purchaseUnread, claimConfirm, claimOwned, claimOwn,
        claimUnknown, claimDone, actionTransfer, transferQuestion, transferConfirm, transferDone, didTransferIn,
        didTransferOut, didNotify, actionErase, eraseHint, eraseLabel, eraseReason, eraseButton, eraseMismatch,
        eraseDone, historyHeading, historyNone, historyHint, historyFilter, columnTime, columnWhat, columnChange,
        columnAfter, showThen, didBuy, didAddSeats, didRenew, didReceiveShared, didReceiveAssigned, didRefund,
        didEndSharing, didTurnOff, didTurnOn, didChangePlan, didFailBilling, didEnterGrace, didPlan, didReportState,
        didGetVersion, didGetApp, didLoseApp, didCredit,
        didSpend, didClawBack, didRestore, didGrant, didGrantAccess, didRevokeAccess, didOwnChain, didOwnToken,
        didErase, didAnswer, didPost, groupSubject, detailTransaction, detailExpires, detailSince, detailLearned,
        detailKey,
        detailBy, detailFacts, detailStatus, ticketHeading, ticketHint, ticketCopyText, ticketCopyLink,
        ticketCopied, ticketPrint, ticketOpen, ticketLink, ticketProducts, ticketRecent, ticketBy, webhooks,
        webhooksHint, webhooksNone, columnWebhook, columnAddress, columnWaiting, columnFailing,
        columnParked, columnMessage, columnAttempts, columnProblem, stateRunning, stateFailing, stateStopped,
        parkedHeading, actionResume, resumeQuestion, resumeButton, replayQuestion, replayButton, resumeDone,
        replayDone, unknownWebhook, now, future, past
}

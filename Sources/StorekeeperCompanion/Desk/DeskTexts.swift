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
/// Templates name a text `{{text.key}}`. To translate the desk, add the language to ``DeskLanguage`` and a line to each
/// text of the table below. A test names the missing lines.
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
        for line in lines.split(separator: "\n") {
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

    /// The English texts of timelines, which the table below translates or replaces.
    private static let timelineTexts: [String: String] = {
        let texts =
            TimelineWords.Text.allCases.map { ("timeline.\($0)", $0.rawValue) }
            + TimelineText.allCases.map { ("timeline.\($0.name)", $0.rawValue) }
            + TimelineChart.SegmentStyle.allCases.map { ("look.\($0.rawValue)", $0.meaning) }
            + TimelineChart.Event.Kind.allCases.map { ("event.\($0.rawValue)", $0.words) }
        return Dictionary(uniqueKeysWithValues: texts)
    }()

    /// The keys, each followed by a line for each language; names in braces are replaced by values.
    ///
    /// The English texts of timelines are in `TimelineWords` and `TimelineText`.
    private static let lines = """
        skip
          en Skip to the content
          de Zum Inhalt springen
        heading
          en What does this customer own, and why?
          de Was besitzt dieser Kunde, und warum?
        readOnly
          en read-only
          de nur lesen
        signedInAs
          en signed in as {name}
          de angemeldet als {name}
        lastNotification
          en last notification from the App Store {time}
          de letzte Nachricht des App Store {time}
        noNotification
          en no notification from the App Store since the service started
          de keine Nachricht des App Store seit dem Start des Dienstes
        utc
          en All times are in UTC.
          de Alle Zeiten sind in UTC.
        languages
          en Languages
          de Sprachen
        pages
          en Pages of the desk
          de Seiten für den Support
        customers
          en Customers
          de Kunden
        searchForm
          en Look up a customer
          de Einen Kunden suchen
        searchLabel
          en customer, transaction, order or account token
          de Kunde, Transaktion, Bestellung oder Konto-Token
        searchButton
          en Look up
          de Suchen
        searchHint
          en Enter the id of a customer in your app, a transaction id, an original transaction id, an order id from Apple's invoice, or an app account token. Blanks and line breaks around it do not matter.
          de Geben Sie die Id eines Kunden in Ihrer App ein, eine Transaktions-Id, eine ursprüngliche Transaktions-Id, eine Bestellnummer aus Apples Rechnung oder ein Konto-Token. Leerzeichen und Zeilenumbrüche am Rand stören nicht.
        searchAnswers
          en The page of a customer says what they own and why, what happened when, and what they owned at any other time. It has a summary to copy into a ticket.
          de Die Seite eines Kunden sagt, was er besitzt und warum, was wann geschah und was er zu jeder anderen Zeit besaß. Sie hat eine Zusammenfassung für das Ticket.
        recentHeading
          en Changed last
          de Zuletzt geändert
        searchTitle
          en Search for {text}
          de Suche nach {text}
        searchNothing
          en Nothing was found for “{text}”.
          de Zu „{text}“ wurde nichts gefunden.
        searchedWhat
          en Searched: the ids of customers, the ids and original ids of transactions, app account tokens.
          de Gesucht wurde in: Ids von Kunden, Ids und ursprünglichen Ids von Transaktionen, Konto-Token.
        searchedOrders
          en Apple was asked for the order, too, and knows none with this id.
          de Auch Apple wurde nach der Bestellung gefragt und kennt keine mit dieser Nummer.
        searchedNoOrders
          en It looks like an order id, which only Apple can look up. For that, start the service with a key for the App Store Server API, or ask the customer for a transaction id.
          de Es sieht aus wie eine Bestellnummer, die nur Apple nachschlagen kann. Starten Sie dafür den Dienst mit einem Schlüssel für die App Store Server API, oder bitten Sie den Kunden um eine Transaktions-Id.
        searchedForeign
          en A page of another site has started this search, so Apple was not asked. Search again here.
          de Eine Seite einer anderen Website hat diese Suche begonnen, deshalb wurde Apple nicht gefragt. Suchen Sie hier noch einmal.
        searchedOrderFailed
          en Apple could not be asked for the order: {problem}.
          de Apple konnte nicht nach der Bestellung gefragt werden: {problem}.
        searchAdvice
          en Try the id from another place: your app's account page, the subject of the ticket, Apple's invoice. Capital letters matter, except in account tokens. The beginning of a customer's id is enough; all other ids must be complete.
          de Versuchen Sie es mit der Id aus einer anderen Quelle: der Kontoseite Ihrer App, dem Betreff der Anfrage, Apples Rechnung. Groß- und Kleinschreibung zählt, außer bei Konto-Tokens. Von der Id eines Kunden genügt der Anfang; alle anderen Ids müssen vollständig sein.
        searchSeveral
          en {count} customers fit “{text}”
          de {count} Kunden passen zu „{text}“
        searchMore
          en There are more; type more of the id.
          de Es gibt weitere; geben Sie mehr von der Id ein.
        searchUnowned
          en The purchase {id} is known, but belongs to no customer yet: {purchase}.
          de Der Kauf {id} ist bekannt, gehört aber noch keinem Kunden: {purchase}.
        searchUnstored
          en Apple knows the purchase {id}, which the vault does not have yet: {purchase}. It is fetched when it is assigned.
          de Apple kennt den Kauf {id}, den der Tresor noch nicht hat: {purchase}. Er wird abgerufen, wenn er zugeordnet wird.
        claimCustomer
          en the customer who made it, also one of whom nothing is known yet
          de der Kunde, der ihn getätigt hat, auch ein noch unbekannter
        found.customer
          en is their id
          de ist die Id des Kunden
        found.prefix
          en their id begins so
          de die Id beginnt so
        found.token
          en is one of their account tokens
          de ist eines der Konto-Token
        found.original
          en is the original id of one of their purchases
          de ist die ursprüngliche Id eines Kaufs
        found.transaction
          en is one of their transactions
          de ist eine der Transaktionen
        found.order
          en is one of their orders
          de ist eine der Bestellungen
        columnCustomer
          en Customer
          de Kunde
        columnFound
          en Why
          de Warum
        unknownCustomer
          en The vault has no data about “{customer}”. Check the spelling of the id.
          de Der Tresor hat keine Daten über „{customer}“. Prüfen Sie die Schreibweise der Id.
        keyHeading
          en This page needs an access key
          de Für diese Seite braucht es einen Schlüssel
        keyHint
          en Reload the page, and enter a desk or admin key as the password. The name can be any text.
          de Laden Sie die Seite neu, und geben Sie einen Schlüssel mit der Berechtigung desk oder admin als Passwort ein. Der Name ist beliebig.
        keyOther
          en To enter another key, open the page in a private window, or end the browser and start it again.
          de Um einen anderen Schlüssel einzugeben, öffnen Sie die Seite in einem privaten Fenster, oder beenden und starten Sie den Browser.
        refusedHeading
          en The service could not do this
          de Der Dienst konnte das nicht tun
        title
          en What {customer} owns
          de Was {customer} besitzt
        summaryLost
          en Lost {subjects} on {day}: {reason}.
          de Verlor {subjects} am {day}: {reason}.
        summaryRefunded
          en Apple refunded {price}
          de Apple hat {price} erstattet
        summaryRefundedPart
          en Apple refunded {share} % of {price}
          de Apple hat {share} % von {price} erstattet
        summaryHas
          en Has {things}.
          de Hat {things}.
        summaryNothing
          en Has nothing now.
          de Hat jetzt nichts.
        summaryPending
          en Waits for approval: {subjects}.
          de Wartet auf Genehmigung: {subjects}.
        summaryUnknown
          en Not known: {subjects}.
          de Nicht bekannt: {subjects}.
        and
          en and
          de und
        answeredAt
          en At {time}, from all signed evidence.
          de Stand {time}, aus allen signierten Belegen.
        answeredThen
          en At {time}, from what was known at {known}.
          de Stand {time}, aus dem, was am {known} bekannt war.
        nextChange
          en Next change: {time}.
          de Nächste Änderung: {time}.
        pastBanner
          en This is not the present.
          de Das ist nicht die Gegenwart.
        backToNow
          en Back to now
          de Zurück zu jetzt
        sections
          en Sections of the page
          de Abschnitte der Seite
        appleHeard
          en Apple last heard
          de Zuletzt von Apple gehört
        appleNever
          en never
          de nie
        wholeHistory
          en Whole history read
          de Ganze Historie gelesen
        firstPurchase
          en First purchase
          de Erster Kauf
        firstLearned
          en First evidence learned
          de Erster Beleg erhalten
        family
          en Family
          de Familie
        familyNone
          en no purchase shared by the family
          de kein Kauf aus der Familie
        familyMember
          en uses what the family shares: {products}
          de nutzt, was die Familie teilt: {products}
        familyEnded
          en sharing has ended for {products}
          de die Freigabe endete für {products}
        familySharer
          en can share {products} with the family
          de kann {products} mit der Familie teilen
        whyHeading
          en Why {product}: {answer}
          de Warum {product}: {answer}
        whySince
          en Since {time}.
          de Seit {time}.
        whyDecides
          en Transaction {transaction} decides.
          de Transaktion {transaction} entscheidet.
        whySteps
          en The engine explains its steps in English.
          de Die Schritte erklärt das Programm auf Englisch.
        whyEarlier
          en What led to it
          de Was dazu führte
        whyIdle
          en Facts without effect ({count})
          de Fakten ohne Wirkung ({count})
        whyLater
          en later than the time of the answer
          de später als der Zeitpunkt der Antwort
        whyNext
          en Next: {event}.
          de Als Nächstes: {event}.
        whyNoNext
          en No known event changes this answer.
          de Kein bekanntes Ereignis ändert diese Antwort.
        close
          en Close
          de Schließen
        why
          en Why?
          de Warum?
        productsHeading
          en Products
          de Produkte
        productsNone
          en Nothing was bought yet.
          de Noch nichts gekauft.
        productsOnlyConsumables
          en Only consumables were bought; see the balances.
          de Nur Verbrauchsgüter gekauft; siehe Guthaben.
        productsNoneKnown
          en No purchase is known; Apple’s whole history was not read.
          de Kein Kauf ist bekannt; Apples ganzer Verlauf wurde nicht gelesen.
        neverBought
          en Never bought:
          de Nie gekauft:
        neverKnown
          en No purchase is known of:
          de Kein Kauf bekannt von:
        notAllShown
          en The first {count} of {all}.
          de Die ersten {count} von {all}.
        columnProduct
          en Product
          de Produkt
        columnAnswer
          en Answer
          de Antwort
        columnReason
          en Reason
          de Grund
        columnSince
          en Since
          de Seit
        columnUntil
          en Until
          de Bis
        columnBy
          en By
          de Durch
        statusesHeading
          en Subscriptions
          de Abonnements
        columnGroup
          en Group
          de Gruppe
        columnState
          en State
          de Zustand
        columnLevel
          en Level
          de Stufe
        columnEnds
          en Ends
          de Endet
        columnRenews
          en Next
          de Als Nächstes
        columnAccess
          en Gives access
          de Gibt Zugriff
        yes
          en yes
          de ja
        no
          en no
          de nein
        notKnown
          en not known
          de nicht bekannt
        wasToRenew
          en no, although it was set to renew
          de nein, obwohl es sich verlängern sollte
        featuresHeading
          en Features
          de Funktionen
        columnFeature
          en Feature
          de Funktion
        balancesHeading
          en Balances
          de Guthaben
        columnBalance
          en Balance
          de Guthaben
        columnBought
          en Bought
          de Gekauft
        columnGranted
          en Granted
          de Geschenkt
        columnSpent
          en Spent
          de Ausgegeben
        columnTakenBack
          en Refunded
          de Erstattet
        columnLeft
          en Left
          de Übrig
        balanceSum
          en {bought} bought + {granted} granted − {spent} spent − {refunded} refunded = {left} left
          de {bought} gekauft + {granted} geschenkt − {spent} ausgegeben − {refunded} erstattet = {left} übrig
        timelineHeading
          en Timeline
          de Zeitachse
        knownThen
          en known until {time}
          de bekannt bis {time}
        timeline.becomes
          en {row}: {answer}
          de {row}: {answer}
        timeline.expected
          de erwartet
        timeline.products
          de PRODUKTE
        timeline.features
          de FUNKTIONEN
        timeline.now
          de jetzt, {time}
        timeline.nextChange
          de Änderung {time}
        timeline.asOf
          de Stand {time}
        timeline.isExpected
          de {row}: {answer}, erwartet
        timeline.several
          de {row}: {count} Antworten in kurzer Zeit
        timeline.zoomIn
          de Vergrößern Sie, um jede zu sehen.
        timeline.fromUntil
          de Von {from} bis {to} UTC.
        timeline.fromOn
          de Seit {from} UTC; kein Ende bekannt.
        timeline.until
          de Bis {to} UTC.
        timeline.always
          de Immer.
        timeline.decides
          de Transaktion {id} entscheidet.
        timeline.at
          de Am {time} UTC.
        timeline.often
          de {row}: {event}, {count}-mal
        timeline.fromTo
          de Von {from} bis {to} UTC.
        timeline.page.heading
          de Zeitachse von {customer}
        timeline.page.parts
          de Teil der Zeitachse
        timeline.page.zoomIn
          de Vergrößern
        timeline.page.zoomOut
          de Verkleinern
        timeline.page.earlier
          de Früher
        timeline.page.later
          de Später
        timeline.page.month
          de 1 Monat
        timeline.page.oneMonth
          de Ein Monat
        timeline.page.year
          de 1 Jahr
        timeline.page.oneYear
          de Ein Jahr
        timeline.page.all
          de Alles
        timeline.page.wholeTimeline
          de Die ganze Zeitachse
        timeline.page.invalid
          de „{typed}“ ist keine gültige Zeit: schreiben Sie sie wie 2026-03-01 oder 2026-03-01 09:30
        timeline.page.asOf
          de Stand {time} UTC
        timeline.page.expectedThen
          de was für dann erwartet wird
        timeline.page.knownThen
          de was damals bekannt war
        timeline.page.toPresent
          de Zurück zur Gegenwart
        timeline.page.changed
          de {product} war {then}, soweit damals bekannt war; heute ist bekannt, dass es {now} war.
        timeline.page.region
          de Zeitachse von {customer}, gezeichnet
        timeline.page.keys
          de Plus und Minus vergrößern und verkleinern, die Pfeiltasten verschieben, 0 zeigt alles
        timeline.page.picture
          de Die Antworten zu jedem Produkt und jeder Funktion über die Zeit; die Tabelle darunter enthält dasselbe.
        timeline.page.legend
          de Legende
        timeline.page.next
          en Next: {event}, {time} UTC ({distance}).
          de Als Nächstes: {event}, {time} UTC ({distance}).
        timeline.page.noNext
          de Keine Änderung wird erwartet.
        timeline.page.form
          de Antworten zu einem Zeitpunkt
        timeline.page.field
          de Antworten am
        timeline.page.show
          de Anzeigen
        timeline.page.table
          de Als Tabelle
        timeline.page.caption
          de Die Zeitachse als Tabelle
        timeline.page.someRuns
          de Die ersten {count} von {all} Zeilen dieses Teils der Zeitachse; vergrößern Sie, um die übrigen zu sehen.
        timeline.page.subject
          de Produkt oder Funktion
        timeline.page.answer
          de Antwort
        timeline.page.reason
          de Grund
        timeline.page.from
          de Von
        timeline.page.until
          de Bis
        timeline.page.ever
          de immer
        timeline.page.noEnd
          de kein Ende bekannt
        look.access
          de Zugriff
        look.trial
          de kostenloser Probezeitraum
        look.grace
          de Nachfrist, Übergangszeit
        look.pending
          de wartet auf Genehmigung
        look.retry
          de Zahlung wird wiederholt
        look.lapsed
          de nicht mehr
        look.unknown
          de nicht bekannt
        look.nothing
          de nie
        event.gracePeriod
          de Nachfrist beginnt
        event.billingRetry
          de Zahlung wird wiederholt
        event.refund
          de Erstattung
        event.partialRefund
          de Erstattung eines Teils des Preises
        event.revocation
          de widerrufen
        event.priceIncrease
          de gebeten, einem höheren Preis zuzustimmen
        event.priceAgreed
          de einem höheren Preis zugestimmt
        event.upgrade
          de zu einem höheren Produkt gewechselt
        event.freeTrial
          de kostenloser Probezeitraum beginnt
        event.offer
          de Angebot beginnt
        asText
          en As text
          de Als Text
        columnFrom
          en From
          de Von
        travelForm
          en Choose another time
          de Einen anderen Zeitpunkt wählen
        travelAt
          en answers at
          de Antworten am
        travelKnown
          en from what was known at
          de aus dem, was bekannt war am
        travelButton
          en Show
          de Anzeigen
        travelHint
          en Go by days, or type a time such as 2026-03-01 09:30. The first time is the one that the answers are about; the second chooses what the service knew at another time. An empty field is now.
          de Gehen Sie tageweise, oder geben Sie eine Zeit ein wie 2026-03-01 09:30. Die erste Zeit ist die der Antworten, die zweite die, zu der der Dienst etwas wusste. Ein leeres Feld ist jetzt.
        dayEarlier
          en a day earlier
          de einen Tag früher
        dayLater
          en a day later
          de einen Tag später
        monthEarlier
          en 30 days earlier
          de 30 Tage früher
        monthLater
          en 30 days later
          de 30 Tage später
        asKnownThen
          en what was known then
          de was damals bekannt war
        answersThen
          en Answers at this time
          de Antworten zu dieser Zeit
        transactionsHeading
          en Transactions, newest first
          de Transaktionen, neueste zuerst
        transactionsNone
          en There are no transactions.
          de Es gibt keine Transaktionen.
        columnTransaction
          en Transaction
          de Transaktion
        columnPurchased
          en Purchased
          de Gekauft am
        columnExpires
          en Expires
          de Läuft ab
        columnPrice
          en Price
          de Preis
        noteRenewal
          en renewal
          de Verlängerung
        noteFamily
          en shared by the family
          de aus der Familie
        noteAssigned
          en assigned
          de zugewiesen
        noteUpgraded
          en upgraded
          de heraufgestuft
        noteQuantity
          en quantity {count}
          de Anzahl {count}
        noteOffer
          en offer {offer}
          de Angebot {offer}
        noteTrial
          en free trial
          de kostenloser Probezeitraum
        noteRefunded
          en refunded {time}
          de erstattet {time}
        noteSharingEnded
          en sharing ended {time}
          de Freigabe beendet {time}
        noteEnvironment
          en from {environment}
          de aus {environment}
        older
          en Older
          de Ältere
        newest
          en Newest
          de Neueste
        offersHeading
          en Offers that the customer may have
          de Angebote, die der Kunde haben kann
        columnOffer
          en Offer
          de Angebot
        actHeading
          en Where the customer can act
          de Wo der Kunde selbst handeln kann
        columnLinks
          en Pages of Apple to send to the customer
          de Seiten von Apple für den Kunden
        link.manage
          en manage subscriptions
          de Abonnements verwalten
        link.billing
          en correct the payment
          de Zahlung berichtigen
        link.refund
          en request a refund
          de Erstattung beantragen
        grantsHeading
          en Access without a purchase
          de Zugriff ohne Kauf
        grantsNone
          en No access was granted.
          de Kein Zugriff wurde gewährt.
        columnRevoke
          en Revoke
          de Widerrufen
        revoke
          en Revoke…
          de Widerrufen…
        grantRevoked
          en revoked: {reason}
          de widerrufen: {reason}
        grant.active
          en active
          de aktiv
        grant.ended
          en ended
          de beendet
        grant.revoked
          en revoked
          de widerrufen
        revokeForm
          en Confirm the revocation
          de Den Widerruf bestätigen
        revokeQuestion
          en Revoke {subject}, granted to {customer} until {time}?
          de {subject}, gewährt für {customer} bis {time}, widerrufen?
        revokeButton
          en Revoke access
          de Zugriff widerrufen
        recordedAs
          en It is recorded as done by {name}.
          de Es wird unter {name} festgehalten.
        reason
          en reason
          de Grund
        grantForm
          en Grant access
          de Zugriff gewähren
        grantConfirmForm
          en Confirm the grant
          de Den Zugriff bestätigen
        grantQuestion
          en Give {customer} access to {subject} until {time}, because “{reason}”?
          de {customer} Zugriff auf {subject} bis {time} gewähren, weil „{reason}“?
        grantAlready
          en Access to {subject} is already granted until {time}.
          de Zugriff auf {subject} ist schon bis {time} gewährt.
        grantSubject
          en product or feature
          de Produkt oder Funktion
        grantLength
          en how long
          de wie lange
        lengthDay
          en a day, until {time}
          de einen Tag, bis {time}
        lengthWeek
          en a week, until {time}
          de eine Woche, bis {time}
        lengthMonth
          en a month, until {time}
          de einen Monat, bis {time}
        lengthPeriod
          en the end of the period, {time}
          de das Ende des Zeitraums, {time}
        grantUntil
          en or until (UTC)
          de oder bis (UTC)
        grantButton
          en Grant access…
          de Zugriff gewähren…
        grantConfirm
          en Grant access
          de Zugriff gewähren
        grantDone
          en Access to {subject} was granted until {time}.
          de Zugriff auf {subject} wurde bis {time} gewährt.
        revokeDone
          en The access to {subject} was revoked at {time}.
          de Der Zugriff auf {subject} wurde am {time} widerrufen.
        undo
          en Undo
          de Rückgängig machen
        undoReason
          en undone
          de rückgängig gemacht
        subjectFeature
          en feature {name}
          de Funktion {name}
        mistakeSubject
          en Choose a product or feature.
          de Wählen Sie ein Produkt oder eine Funktion.
        mistakeTime
          en The end is not a time: choose a length, or write it like 2026-04-01 or 2026-04-01 09:30.
          de Das Ende ist keine Zeit: wählen Sie eine Dauer, oder schreiben Sie es wie 2026-04-01 oder 2026-04-01 09:30.
        mistakeMoment
          en “{text}” is not a time, so this page shows now: write it like 2026-04-01 or 2026-04-01 09:30.
          de „{text}“ ist keine Zeit, daher zeigt diese Seite jetzt: schreiben Sie es wie 2026-04-01 oder 2026-04-01 09:30.
        mistakePast
          en The end is not in the future.
          de Das Ende liegt nicht in der Zukunft.
        mistakeReason
          en Give a reason.
          de Nennen Sie einen Grund.
        actionsHeading
          en Actions
          de Aktionen
        scopeNeeded
          en {action}: this needs a key with the scope {scopes}; yours has the scope {own}.
          de {action}: dafür braucht es einen Schlüssel mit der Berechtigung {scopes}; Ihrer hat die Berechtigung {own}.
        scopeOr
          en or
          de oder
        actionGrant
          en Grant or revoke access
          de Zugriff gewähren oder widerrufen
        actionFetch
          en Fetch again from Apple
          de Erneut von Apple abrufen
        fetchQuestion
          en Ask Apple for everything it has signed about {customer}? Nothing is taken away from the customer by it.
          de Apple nach allem fragen, was es über {customer} signiert hat? Dem Kunden wird dadurch nichts genommen.
        fetchButton
          en Fetch now
          de Jetzt abrufen
        fetchNoKey
          en Fetch again from Apple: the service was started without a key for the App Store Server API.
          de Erneut von Apple abrufen: der Dienst wurde ohne Schlüssel für die App Store Server API gestartet.
        fetchNoPurchase
          en Fetch again from Apple: no transaction is known with which Apple could be asked.
          de Erneut von Apple abrufen: es ist keine Transaktion bekannt, mit der Apple gefragt werden könnte.
        fetchDone
          en Apple was asked: {new} new, {known} known before.
          de Apple wurde gefragt: {new} neu, {known} schon bekannt.
        fetchPartial
          en Apple was asked, but some of its evidence could not be verified.
          de Apple wurde gefragt, aber einige der Belege konnten nicht geprüft werden.
        fetchFailed
          en Apple could not be asked: {problem}.
          de Apple konnte nicht gefragt werden: {problem}.
        actionClaim
          en Assign a purchase
          de Einen Kauf zuordnen
        claimHint
          en For a purchase that belongs to nobody: made outside of your app, redeemed by a code, or shared by the family.
          de Für einen Kauf, der niemandem gehört: außerhalb der App getätigt, mit einem Code eingelöst oder aus der Familie.
        claimLabel
          en original transaction id or account token
          de ursprüngliche Transaktions-Id oder Konto-Token
        claimButton
          en Assign…
          de Zuordnen…
        claimForm
          en Confirm the assignment
          de Die Zuordnung bestätigen
        claimQuestion
          en Assign {purchase} to {customer}? This is permanent. It is logged as done by {name}.
          de {purchase} für {customer} zuordnen? Das ist endgültig. Es wird unter {name} protokolliert.
        claimFetchQuestion
          en The vault does not have the purchase {purchase}. Ask Apple for it, and assign it to {customer}? This is permanent. It is logged as done by {name}.
          de Der Tresor hat den Kauf {purchase} nicht. Apple danach fragen und ihn für {customer} zuordnen? Das ist endgültig. Es wird unter {name} protokolliert.
        claimNewCustomer
          en The vault has no data about {customer} yet: check the spelling of the id.
          de Der Tresor hat noch keine Daten über {customer}: Prüfen Sie die Schreibweise der Id.
        purchaseBought
          en {product}, bought {time}
          de {product}, gekauft {time}
        purchaseRenewed
          en {product}, renewed {time}
          de {product}, verlängert {time}
        purchaseUnread
          en no transaction of it is known
          de keine Transaktion davon ist bekannt
        claimConfirm
          en Assign permanently
          de Endgültig zuordnen
        claimOwned
          en {purchase} belongs to {holder}. An assignment is permanent and cannot be changed here.
          de {purchase} gehört {holder}. Eine Zuordnung ist endgültig und hier nicht zu ändern.
        claimOwn
          en {purchase} belongs to this customer already.
          de {purchase} gehört diesem Kunden schon.
        claimUnknown
          en No purchase with the original transaction id “{purchase}” is known.
          de Kein Kauf mit der ursprünglichen Transaktions-Id „{purchase}“ ist bekannt.
        claimDone
          en Assigned: {purchase} belongs to {customer} now.
          de Zugeordnet: {purchase} gehört jetzt {customer}.
        actionTransfer
          en Move a purchase
          de Einen Kauf übertragen
        transferQuestion
          en {purchase} belongs to {holder}. Move it to {customer}? Both accounts record it with the reason, and {holder} loses its access and units. It is logged as done by {name}.
          de {purchase} gehört {holder}. Auf {customer} übertragen? Beide Konten halten es mit dem Grund fest, und {holder} verliert Zugang und Einheiten daraus. Es wird unter {name} protokolliert.
        transferConfirm
          en Move the purchase
          de Den Kauf übertragen
        transferDone
          en {purchase} was moved from {holder}.
          de {purchase} wurde von {holder} übertragen.
        didTransferIn
          en {subject} came from {holder}
          de {subject} kam von {holder}
        didTransferOut
          en {subject} went to {holder}
          de {subject} ging an {holder}
        didNotify
          en The App Store sent {kind}
          de Der App Store schickte {kind}
        actionErase
          en Erase all data
          de Alle Daten löschen
        eraseHint
          en Deletes purchases, balances and history of {customer} for good, and keeps a proof of the erasure. Export the data before, if the customer wants a copy.
          de Löscht Käufe, Guthaben und Historie von {customer} endgültig und behält einen Nachweis der Löschung. Exportieren Sie die Daten vorher, wenn der Kunde eine Kopie wünscht.
        eraseLabel
          en the customer's id, to confirm
          de die Id des Kunden, zur Bestätigung
        eraseReason
          en reason, without names of persons
          de Grund, ohne Namen von Personen
        eraseButton
          en Erase for good
          de Endgültig löschen
        eraseMismatch
          en Nothing was erased: the typed id is not “{customer}”.
          de Nichts wurde gelöscht: die eingegebene Id ist nicht „{customer}“.
        eraseDone
          en Erased: {facts} records of purchases and {entries} entries, at {time}. Proof: {proof}
          de Gelöscht: {facts} Belege und {entries} Buchungen, am {time}. Nachweis: {proof}
        historyHeading
          en History, newest first
          de Historie, neueste zuerst
        historyNone
          en Nothing is recorded.
          de Nichts ist aufgezeichnet.
        historyHint
          en When it happened; below, when the service learned of it, if that was later.
          de Wann es geschah; darunter, wann der Dienst davon erfuhr, falls das später war.
        historyFilter
          en Show
          de Anzeigen
        kind.all
          en everything
          de alles
        kind.purchases
          en purchases
          de Käufe
        kind.balances
          en balances
          de Guthaben
        kind.access
          en granted access
          de gewährter Zugriff
        kind.answers
          en changed answers
          de geänderte Antworten
        kind.messages
          en webhooks
          de Webhooks
        columnTime
          en Time
          de Zeit
        columnWhat
          en What
          de Was
        columnChange
          en Change
          de Änderung
        columnAfter
          en After
          de Danach
        showThen
          en Show the answers at this time
          de Die Antworten zu dieser Zeit anzeigen
        didBuy
          en bought {product}
          de kaufte {product}
        didAddSeats
          en added seats to {product}
          de fügte Plätze zu {product} hinzu
        didRenew
          en {product} renewed
          de {product} verlängert
        didReceiveShared
          en received {product} from the family
          de erhielt {product} aus der Familie
        didReceiveAssigned
          en was assigned {product}
          de bekam {product} zugewiesen
        didRefund
          en {product} refunded
          de {product} erstattet
        didEndSharing
          en sharing of {product} ended
          de Freigabe von {product} endete
        didTurnOff
          en turned auto-renewal of {product} off
          de schaltete die Verlängerung von {product} aus
        didTurnOn
          en auto-renewal of {product} is on
          de die Verlängerung von {product} ist an
        didChangePlan
          en will change to {product}
          de wechselt zu {product}
        didFailBilling
          en billing of {product} failed
          de Zahlung für {product} fehlgeschlagen
        didEnterGrace
          en billing of {product} failed; grace period until {time}
          de Zahlung für {product} fehlgeschlagen; Nachfrist bis {time}
        didPlan
          en Apple reported the plan of {product}
          de Apple meldete den Plan von {product}
        didReportState
          en Apple reported the state of purchase {id}: {state}
          de Apple meldete den Zustand des Kaufs {id}: {state}
        didGetVersion
          en got the app, first in version {version}
          de erhielt die App, zuerst in Version {version}
        didGetApp
          en got the app
          de erhielt die App
        didLoseApp
          en the app itself was refunded or taken back
          de die App selbst wurde erstattet oder zurückgenommen
        didCredit
          en {balance} bought with {product}
          de {balance} gekauft mit {product}
        didSpend
          en {balance} spent
          de {balance} ausgegeben
        didClawBack
          en {balance} taken back: {product} refunded
          de {balance} zurückgenommen: {product} erstattet
        didRestore
          en {balance} restored: the refund of {product} was reversed
          de {balance} wiederhergestellt: die Erstattung von {product} wurde rückgängig gemacht
        didGrant
          en {balance} granted
          de {balance} geschenkt
        didGrantAccess
          en access to {subject} granted until {time}
          de Zugriff auf {subject} gewährt bis {time}
        didRevokeAccess
          en granted access revoked
          de gewährter Zugriff widerrufen
        didOwnChain
          en purchase {id} was assigned
          de Kauf {id} wurde zugeordnet
        didOwnToken
          en account token {id} was assigned
          de Konto-Token {id} wurde zugeordnet
        didErase
          en an earlier customer with this id was erased
          de ein früherer Kunde mit dieser Id wurde gelöscht
        didAnswer
          en {subject}: {after}, before {before}
          de {subject}: {after}, vorher {before}
        didPost
          en webhook {webhook}: {outcome}
          de Webhook {webhook}: {outcome}
        outcome.delivered
          en delivered
          de zugestellt
        outcome.failed
          en failed, is tried again
          de fehlgeschlagen, wird wiederholt
        outcome.parked
          en given up
          de aufgegeben
        outcome.gone
          en refused by the receiver
          de vom Empfänger abgelehnt
        groupSubject
          en group {name}
          de Gruppe {name}
        detailTransaction
          en transaction {id}
          de Transaktion {id}
        detailExpires
          en until {time}
          de bis {time}
        detailSince
          en since {time}
          de seit {time}
        detailLearned
          en learned {time}
          de erfahren {time}
        detailKey
          en key {key}
          de Schlüssel {key}
        detailBy
          en by {name}
          de durch {name}
        detailFacts
          en {facts} records, {entries} entries
          de {facts} Belege, {entries} Buchungen
        detailStatus
          en status {status}
          de Status {status}
        ticketHeading
          en For a ticket
          de Für ein Ticket
        ticketHint
          en Copy the text or the link into the ticket. The link shows the same time again.
          de Kopieren Sie den Text oder den Link in das Ticket. Der Link zeigt dieselbe Zeit wieder.
        ticketCopyText
          en Copy the text
          de Text kopieren
        ticketCopyLink
          en Copy the link
          de Link kopieren
        ticketCopied
          en Copied
          de Kopiert
        ticketPrint
          en Print
          de Drucken
        ticketOpen
          en The text alone
          de Nur der Text
        ticketLink
          en Link to this page
          de Link auf diese Seite
        ticketProducts
          en Products
          de Produkte
        ticketRecent
          en Newest in the history
          de Das Neueste aus der Historie
        ticketBy
          en Made by {name} at {time}
          de Erstellt von {name} am {time}
        webhooks
          en Webhooks
          de Webhooks
        webhooksHint
          en What becomes of the messages that the service posts to your servers.
          de Was aus den Nachrichten wird, die der Dienst an Ihre Server schickt.
        webhooksNone
          en The vault knows no webhook.
          de Der Tresor kennt keinen Webhook.
        webhooksUnsupported
          en This vault does not support webhooks.
          de Dieser Tresor unterstützt keine Webhooks.
        columnWebhook
          en Webhook
          de Webhook
        columnAddress
          en Address
          de Adresse
        columnWaiting
          en Customers waiting
          de Wartende Kunden
        columnFailing
          en Customers failing
          de Kunden mit Fehlern
        columnParked
          en Messages given up
          de Aufgegebene Nachrichten
        columnMessage
          en Message
          de Nachricht
        columnAttempts
          en Attempts
          de Versuche
        columnProblem
          en Problem
          de Problem
        stateRunning
          en delivers
          de stellt zu
        stateFailing
          en fails since {time}
          de fehlerhaft seit {time}
        stateStopped
          en stopped {time}: {reason}
          de angehalten {time}: {reason}
        parkedHeading
          en Messages to {webhook} that were given up
          de Aufgegebene Nachrichten an {webhook}
        actionResume
          en Resume or replay webhooks
          de Webhooks fortsetzen oder wiederholen
        resumeQuestion
          en Deliver to {webhook} again? It is logged as done by {name}.
          de Wieder an {webhook} zustellen? Es wird unter {name} protokolliert.
        resumeButton
          en Resume
          de Fortsetzen
        replayQuestion
          en Post the messages to {webhook} that were given up again, each with the later events of its customer? It is logged as done by {name}.
          de Die aufgegebenen Nachrichten an {webhook} erneut schicken, jede mit den späteren Ereignissen ihres Kunden? Es wird unter {name} protokolliert.
        replayButton
          en Replay
          de Wiederholen
        resumeDone
          en {webhook} gets messages again.
          de {webhook} bekommt wieder Nachrichten.
        replayDone
          en The messages to {webhook} that were given up are posted again.
          de Die aufgegebenen Nachrichten an {webhook} werden erneut geschickt.
        unknownWebhook
          en The vault knows no webhook “{webhook}”.
          de Der Tresor kennt keinen Webhook „{webhook}“.
        now
          en now
          de jetzt
        future
          en in {span}
          de in {span}
        past
          en {span} ago
          de vor {span}
        year.one
          en {n} year
          de {n} Jahr
        year.other
          en {n} years
          de {n} Jahren
        month.one
          en {n} month
          de {n} Monat
        month.other
          en {n} months
          de {n} Monaten
        day.one
          en {n} day
          de {n} Tag
        day.other
          en {n} days
          de {n} Tagen
        hour.one
          en {n} hour
          de {n} Stunde
        hour.other
          en {n} hours
          de {n} Stunden
        minute.one
          en {n} minute
          de {n} Minute
        minute.other
          en {n} minutes
          de {n} Minuten
        second.one
          en {n} second
          de {n} Sekunde
        second.other
          en {n} seconds
          de {n} Sekunden
        answer.entitled
          en has access
          de hat Zugriff
        answer.pending
          en waits for approval
          de wartet auf Genehmigung
        answer.lapsed
          en access ended
          de Zugriff beendet
        answer.never
          en never bought
          de nie gekauft
        answer.unknown
          en not known
          de nicht bekannt
        due.renewal
          en renews at {time}
          de verlängert sich am {time}
        due.planChange
          en changes to {product} at {time}
          de wechselt zu {product} am {time}
        due.beginning
          en begins at {time}, after {from}
          de beginnt am {time}, nach {from}
        due.consent
          en Apple asks for consent to a higher price; ends at {time} without it
          de Apple bittet um Zustimmung zu einem höheren Preis; endet sonst am {time}
        due.end
          en ends at {time}
          de endet am {time}
        due.periodEnd
          en the period ends at {time}; whether it renews is not known
          de der Zeitraum endet am {time}; ob er sich verlängert, ist nicht bekannt
        due.gracePeriod
          en the payment fails at {time}; Apple gives a grace period
          de die Zahlung schlägt am {time} fehl; Apple gewährt eine Nachfrist
        due.billingRetry
          en the payment fails at {time}; Apple tries again
          de die Zahlung schlägt am {time} fehl; Apple versucht es weiter
        due.gracePeriodEnd
          en the grace period ends at {time} unless the payment succeeds
          de die Nachfrist endet am {time}, wenn die Zahlung nicht gelingt
        due.billingRetryEnd
          en Apple tries to bill until {time}
          de Apple versucht bis {time} abzurechnen
        due.revocation
          en is refunded or revoked at {time}
          de wird am {time} erstattet oder widerrufen
        due.change
          en becomes {answer} at {time}
          de wird am {time}: {answer}
        reason.active
          en a period is running
          de ein Zeitraum läuft
        reason.active.trial
          en a free trial is running
          de ein kostenloser Probezeitraum läuft
        reason.active.shared
          en the family shares it
          de die Familie teilt es
        reason.active.assigned
          en an organisation has assigned it
          de eine Organisation hat es zugewiesen
        reason.owned.shared
          en the family shares it
          de die Familie teilt es
        reason.owned.assigned
          en an organisation has assigned it
          de eine Organisation hat es zugewiesen
        reason.owned
          en bought for good
          de dauerhaft gekauft
        reason.gracePeriod
          en billing failed; Apple gives a grace period
          de Zahlung fehlgeschlagen; Apple gewährt eine Nachfrist
        reason.renewalLeeway
          en the renewal may still be on its way
          de die Verlängerung kann noch unterwegs sein
        reason.granted
          en granted without a purchase
          de ohne Kauf gewährt
        reason.paidApp
          en got the app while it was paid
          de hat die App gekauft, als sie noch kostenpflichtig war
        reason.askToBuy
          en a guardian must approve
          de ein Elternteil muss zustimmen
        reason.bankApproval
          en the bank must approve
          de die Bank muss zustimmen
        reason.expired
          en the period ended without a renewal
          de der Zeitraum endete ohne Verlängerung
        reason.billingRetry
          en billing failed; Apple tries again
          de Zahlung fehlgeschlagen; Apple versucht es weiter
        reason.refunded
          en Apple refunded it
          de Apple hat es erstattet
        reason.familySharingEnded
          en the family no longer shares it
          de die Familie teilt es nicht mehr
        reason.assignmentEnded
          en it is no longer assigned
          de die Zuweisung endete
        reason.upgraded
          en replaced by a higher level
          de durch eine höhere Stufe ersetzt
        reason.movedToBundle
          en moved to a bundle, or out of one
          de in ein Paket gewechselt oder aus einem Paket
        reason.noPurchase
          en there is no purchase
          de es gibt keinen Kauf
        reason.neverSynced
          en the whole history was never read
          de die ganze Historie wurde nie gelesen
        reason.unverified
          en evidence could not be verified
          de Belege konnten nicht geprüft werden
        reason.backendFailed
          en Apple has not answered for too long
          de Apple hat zu lange nicht geantwortet
        reason.conflictingType
          en catalog and evidence disagree
          de Katalog und Belege widersprechen sich
        reason.unknownLevel
          en the catalog has no level of service for it
          de der Katalog kennt keine Stufe dafür
        reason.notInCatalog
          en no catalog knows it
          de kein Katalog kennt es
        state.subscribed
          en subscribed
          de abonniert
        state.expired
          en expired
          de abgelaufen
        state.inBillingRetryPeriod
          en billing is retried
          de Zahlung wird wiederholt
        state.inGracePeriod
          en in grace period
          de in der Nachfrist
        state.revoked
          en revoked
          de widerrufen
        offer.eligible
          en may have it
          de kann es haben
        offer.ineligible
          en may not have it
          de kann es nicht haben
        offer.unknown
          en not known
          de nicht bekannt
        offerReason.newCustomer
          en never subscribed before
          de war noch nie Abonnent
        offerReason.currentSubscriber
          en subscribes now
          de ist jetzt Abonnent
        offerReason.formerSubscriber
          en subscribed once
          de war früher Abonnent
        offerReason.alreadyUsed
          en has had it
          de hatte es schon
        offerReason.subscribed
          en a subscription of the group runs
          de ein Abonnement der Gruppe läuft
        offerReason.neverSubscribed
          en never subscribed in the group
          de war nie Abonnent in der Gruppe
        offerReason.otherCustomers
          en is for other customers
          de gilt für andere Kunden
        offerReason.downgrade
          en would be a lower level
          de wäre eine niedrigere Stufe
        offerReason.billingRetry
          en Apple still tries to bill
          de Apple versucht noch abzurechnen
        offerReason.revoked
          en the last purchase was refunded
          de der letzte Kauf wurde erstattet
        offerReason.autoRenews
          en the subscription is to renew
          de das Abonnement verlängert sich
        offerReason.neverPaid
          en never paid for the subscription
          de hat nie für das Abonnement bezahlt
        offerReason.otherProduct
          en last had another product
          de hatte zuletzt ein anderes Produkt
        offerReason.switchedOff
          en is switched off
          de ist abgeschaltet
        offerReason.notNamed
          en Apple does not name it
          de Apple nennt es nicht
        offerReason.neverSynced
          en the whole history was never read
          de die ganze Historie wurde nie gelesen
        offerReason.unverified
          en evidence could not be verified
          de Belege konnten nicht geprüft werden
        offerReason.staleRenewalInfo
          en Apple has reported nothing since it expired
          de Apple hat seit dem Ablauf nichts gemeldet
        offerReason.staleEvidence
          en a renewal may be missing; fetch it from Apple
          de eine Verlängerung kann fehlen; von Apple abrufen
        severity.error
          en error
          de Fehler
        severity.warning
          en warning
          de Warnung
        severity.note
          en note
          de Hinweis
        """
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
        webhooksHint, webhooksNone, webhooksUnsupported, columnWebhook, columnAddress, columnWaiting, columnFailing,
        columnParked, columnMessage, columnAttempts, columnProblem, stateRunning, stateFailing, stateStopped,
        parkedHeading, actionResume, resumeQuestion, resumeButton, replayQuestion, replayButton, resumeDone,
        replayDone, unknownWebhook, now, future, past
}

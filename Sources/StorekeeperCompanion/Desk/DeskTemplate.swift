/// The templates of the desk.
enum DeskTemplate {
    /// The beginning of each page of the desk, up to the end of what all pages have in their heads.
    static let head = """
        <!doctype html>
        <html lang="{{language}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{#subject}}{{subject}} – {{/subject}}Storekeeper</title>
        <link rel="icon" href="/desk/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/desk/style.css">

        """

    static let text = """
        {{> head}}
        <script src="/desk/script.js" defer></script>
        </head>
        <body>
        <a class="skip" href="#main">{{text.skip}}</a>
        <header class="bar">
        <div class="brand">
        <svg class="logo" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 8h16l-1.2 12H5.2z"/><path class="line" d="M8.5 8V6.5a3.5 3.5 0 0 1 7 0V8"/></svg>
        <div><h1>{{text.heading}}</h1><p class="soft">Storekeeper · {{app}} · {{signedIn}}{{#isReadOnly}}, {{text.readOnly}}{{/isReadOnly}} · {{lastNotification}} · {{text.utc}}</p></div>
        </div>
        <form class="act screen" method="get" action="/desk" role="search" aria-label="{{text.searchForm}}">
        {{#chosenLanguage}}<input type="hidden" name="lang" value="{{chosenLanguage}}">{{/chosenLanguage}}
        <span class="field"><label for="search">{{text.searchLabel}}</label><input id="search" name="search" value="{{asked}}" required autocomplete="off" autocapitalize="off" spellcheck="false" size="38"{{#isEmpty}} autofocus{{/isEmpty}}></span>
        <button class="primary">{{text.searchButton}}</button>
        </form>
        <div class="group screen"><nav aria-label="{{text.pages}}"><a href="{{homeAddress}}">{{text.customers}}</a> <a href="{{webhooksAddress}}">{{text.webhooks}}</a></nav>
        <nav aria-label="{{text.languages}}">{{#languages}}<a href="{{address}}" lang="{{code}}" hreflang="{{code}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}>{{name}}</a> {{/languages}}</nav></div>
        </header>
        <main id="main" tabindex="-1">
        {{#notice}}<section class="notice failure" role="alert"><p class="heading">{{notice}}</p></section>{{/notice}}
        {{#done}}<section class="notice success" role="status"><p class="heading">{{message}}</p>{{#undo}}<form class="screen" method="post" action="{{address}}" aria-label="{{text.undo}}">{{#fields}}<input type="hidden" name="{{name}}" value="{{value}}">{{/fields}}<button>{{text.undo}}</button></form>{{/undo}}</section>{{/done}}
        {{#isEmpty}}<section class="panel" aria-labelledby="start-heading"><h2 id="start-heading">{{text.searchForm}}</h2><p>{{text.searchHint}}</p><p class="soft">{{text.searchAnswers}}</p></section>
        {{^empty(recent)}}<section id="recent" aria-labelledby="recent-heading"><h2 id="recent-heading">{{text.recentHeading}}</h2>
        <ul>{{#recent}}<li><a href="{{address}}">{{customer}}</a> <span class="soft">{{time}}: {{what}}</span></li>{{/recent}}</ul></section>{{/empty(recent)}}{{/isEmpty}}
        {{#result}}<section id="result" aria-labelledby="result-heading">
        <h2 id="result-heading">{{heading}}</h2>
        {{#advice}}<p class="soft">{{.}}</p>{{/advice}}
        {{#unowned}}<div class="panel"><p>{{sentence}}</p>
        {{#form}}<form class="act" method="get" action="/desk#claim" aria-label="{{text.actionClaim}}">
        <input type="hidden" name="claim" value="{{purchase}}">{{#chosenLanguage}}<input type="hidden" name="lang" value="{{chosenLanguage}}">{{/chosenLanguage}}
        <span class="field"><label for="{{field}}">{{text.claimCustomer}}</label><input id="{{field}}" name="customer" required autocomplete="off" spellcheck="false" size="38"></span>
        <button>{{text.claimButton}}</button></form>{{/form}}</div>{{/unowned}}
        {{^empty(hits)}}<div class="scroll"><table class="list"><caption class="unseen">{{text.customers}}</caption>
        <thead><tr><th scope="col">{{text.columnCustomer}}</th><th scope="col">{{text.columnFound}}</th></tr></thead>
        <tbody>{{#hits}}<tr><th scope="row"><a href="{{address}}">{{customer}}</a></th><td>{{way}}</td></tr>
        {{/hits}}</tbody></table></div>{{/empty(hits)}}
        </section>{{/result}}
        {{#page}}{{> customer}}{{/page}}
        {{^page}}{{#acts}}<div id="answers"><h2>{{customer}}</h2>{{> acts}}</div>{{/acts}}{{/page}}
        {{#webhooks}}{{> webhooks}}{{/webhooks}}
        </main>
        </body>
        </html>

        """

    /// The page about a customer.
    static let customer = """
        <div id="answers">
        <h2>{{title}}</h2>
        <p class="summary">{{summary}}</p>
        {{#change}}<p class="soft">{{change}}</p>{{/change}}
        {{#presentAddress}}<p class="question">{{text.pastBanner}} <a href="{{presentAddress}}">{{text.backToNow}}</a></p>{{/presentAddress}}
        {{#diagnostics}}<p class="complaint">{{meaning}} – <span lang="en">{{message}}</span></p>{{/diagnostics}}
        <nav class="jumps screen" aria-label="{{text.sections}}">{{#timeline}}<a href="#timeline">{{text.timelineHeading}}</a> {{/timeline}}<a href="#products">{{text.productsHeading}}</a> {{^empty(balances)}}<a href="#balances">{{text.balancesHeading}}</a> {{/empty(balances)}}<a href="#history">{{text.historyHeading}}</a> <a href="#transactions">{{text.transactionsHeading}}</a> <a href="#grants">{{text.grantsHeading}}</a> <a href="#actions">{{text.actionsHeading}}</a> <a href="#ticket">{{text.ticketHeading}}</a></nav>
        {{#timeline}}{{<timeline}}{{$above}}{{> times}}{{/above}}{{$form}}{{/form}}{{/timeline}}{{/timeline}}
        {{^timeline}}{{> times}}{{/timeline}}
        {{#answers}}{{> deskProducts}}{{/answers}}
        <dl class="facts inline panel">{{#notes}}<div><dt>{{label}}</dt><dd>{{value}}</dd></div>{{/notes}}</dl>
        {{#answers}}{{> deskFeatures}}{{/answers}}
        {{^empty(balances)}}<section id="balances" aria-labelledby="balances-heading">
        <h3 id="balances-heading">{{text.balancesHeading}}</h3>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="balances-heading"><table class="list"><caption class="unseen">{{text.balancesHeading}}</caption>
        <thead><tr><th scope="col">{{text.columnBalance}}</th><th scope="col">{{text.columnBought}}</th><th scope="col">{{text.columnGranted}}</th><th scope="col">{{text.columnSpent}}</th><th scope="col">{{text.columnTakenBack}}</th><th scope="col">{{text.columnLeft}}</th></tr></thead>
        <tbody>{{#balances}}<tr><th scope="row">{{id}}</th><td>{{bought}}</td><td>{{granted}}</td><td>{{spent}}</td><td>{{takenBack}}</td><td><strong>{{left}}</strong></td></tr>
        {{/balances}}</tbody></table></div>
        {{#balances}}<p class="soft">{{id}}: {{sum}}</p>{{/balances}}
        </section>{{/empty(balances)}}
        <section id="history" aria-labelledby="history-heading">
        <h3 id="history-heading">{{text.historyHeading}}</h3>
        <nav class="jumps screen" aria-label="{{text.historyFilter}}">{{#filters}}<a href="{{url}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}>{{name}}</a> {{/filters}}</nav>
        <p class="soft">{{text.historyHint}}</p>
        {{#empty(moments)}}<p class="soft">{{text.historyNone}}</p>{{/empty(moments)}}
        {{^empty(moments)}}<div class="scroll"><table class="list"><caption class="unseen">{{text.historyHeading}}</caption>
        <thead><tr><th scope="col">{{text.columnTime}}</th><th scope="col">{{text.columnWhat}}</th><th scope="col">{{text.columnChange}}</th><th scope="col">{{text.columnAfter}}</th></tr></thead>
        <tbody>{{#moments}}<tr><th scope="row"><a class="then" href="{{thenAddress}}" title="{{text.showThen}}">{{time}}</a></th><td class="sentence">{{what}} <span class="detail soft">{{details}}</span></td><td>{{change}}</td><td>{{after}}</td></tr>
        {{/moments}}</tbody></table></div>{{/empty(moments)}}
        <p class="screen">{{#newestMoments}}<a class="button" href="{{newestMoments}}">{{text.newest}}</a> {{/newestMoments}}{{#olderMoments}}<a class="button" rel="next" href="{{olderMoments}}">{{text.older}}</a>{{/olderMoments}}</p>
        </section>
        <section id="transactions" aria-labelledby="transactions-heading">
        <h3 id="transactions-heading">{{text.transactionsHeading}}</h3>
        {{#empty(transactions)}}<p class="soft">{{text.transactionsNone}}</p>{{/empty(transactions)}}
        {{^empty(transactions)}}<div class="scroll" tabindex="0" role="group" aria-labelledby="transactions-heading"><table class="list"><caption class="unseen">{{text.transactionsHeading}}</caption>
        <thead><tr><th scope="col">{{text.columnTransaction}}</th><th scope="col">{{text.columnProduct}}</th><th scope="col">{{text.columnPurchased}}</th><th scope="col">{{text.columnExpires}}</th><th scope="col">{{text.columnPrice}}</th></tr></thead>
        <tbody>{{#transactions}}<tr><th scope="row"><span class="number">{{id}}</span></th><td class="sentence">{{product}} <span class="detail soft">{{notes}}</span></td><td>{{purchased}}</td><td>{{expires}}</td><td>{{price}}</td></tr>
        {{/transactions}}</tbody></table></div>{{/empty(transactions)}}
        <p class="screen">{{#newestTransactions}}<a class="button" href="{{newestTransactions}}">{{text.newest}}</a> {{/newestTransactions}}{{#olderTransactions}}<a class="button" rel="next" href="{{olderTransactions}}">{{text.older}}</a>{{/olderTransactions}}</p>
        </section>
        {{^empty(offers)}}<section aria-labelledby="offers-heading">
        <h3 id="offers-heading">{{text.offersHeading}}</h3>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="offers-heading"><table class="list"><caption class="unseen">{{text.offersHeading}}</caption>
        <thead><tr><th scope="col">{{text.columnProduct}}</th><th scope="col">{{text.columnOffer}}</th><th scope="col">{{text.columnAnswer}}</th><th scope="col">{{text.columnUntil}}</th></tr></thead>
        <tbody>{{#offers}}<tr><th scope="row">{{product}}</th><td>{{offer}}</td><td class="sentence">{{answer}}</td><td>{{until}}</td></tr>
        {{/offers}}</tbody></table></div>
        </section>{{/empty(offers)}}
        {{^empty(actions)}}<section aria-labelledby="links-heading">
        <h3 id="links-heading">{{text.actHeading}}</h3>
        <div class="scroll"><table class="list"><caption class="unseen">{{text.actHeading}}</caption>
        <thead><tr><th scope="col">{{text.columnProduct}}</th><th scope="col">{{text.columnState}}</th><th scope="col">{{text.columnLinks}}</th></tr></thead>
        <tbody>{{#actions}}<tr><th scope="row">{{product}}</th><td>{{state}}</td><td>{{#links}}<a href="{{url}}" rel="noreferrer">{{name}}</a> {{/links}}</td></tr>
        {{/actions}}</tbody></table></div>
        </section>{{/empty(actions)}}
        {{#grants}}{{> grants}}{{/grants}}
        {{#acts}}{{> acts}}{{/acts}}
        <section id="ticket" class="screen" aria-labelledby="ticket-heading">
        <h3 id="ticket-heading">{{text.ticketHeading}}</h3>
        <p class="soft">{{text.ticketHint}}</p>
        <p class="near"><a class="button" href="{{ticketAddress}}">{{text.ticketOpen}}</a> <a class="button" id="page-link" href="{{pageAddress}}">{{text.ticketLink}}</a>
        <button type="button" data-copy="ticket-text" hidden>{{text.ticketCopyText}}</button> <button type="button" data-copy-link="page-link" hidden>{{text.ticketCopyLink}}</button> <button type="button" id="print" hidden>{{text.ticketPrint}}</button> <span id="copied" role="status" data-text="{{text.ticketCopied}}"></span></p>
        <details id="ticket-details"><summary>{{text.asText}}</summary>
        <pre id="ticket-text" tabindex="0">{{ticket}}</pre></details>
        </section>
        </div>
        """

    /// The chosen times with the answers, above the timeline's picture.
    static let times = """
        <div id="times" class="panel">
        <form id="travel" class="screen" method="get" action="/desk#timeline" aria-label="{{text.travelForm}}">
        {{#travelFields}}<input type="hidden" name="{{name}}" value="{{value}}">{{/travelFields}}
        {{#steppers}}<div class="step" role="group" aria-labelledby="{{id}}-label"><label id="{{id}}-label" for="{{id}}">{{label}}</label>{{#earlier}}<a class="button" href="{{url}}">{{name}}</a>{{/earlier}}<input id="{{id}}" name="{{id}}" value="{{value}}" placeholder="{{text.now}}" size="20" autocomplete="off" spellcheck="false">{{#later}}<a class="button" href="{{url}}">{{name}}</a>{{/later}}{{#nowAddress}}<a class="button" href="{{nowAddress}}">{{text.now}}</a>{{/nowAddress}}</div>
        {{/steppers}}
        <p class="near"><button>{{text.travelButton}}</button>{{#thenAddress}} <a class="button" href="{{thenAddress}}">{{text.asKnownThen}}</a>{{/thenAddress}}</p>
        <p class="soft">{{text.travelHint}}</p>
        </form>
        <p><strong>{{stand}}</strong></p>
        {{#answers}}{{^empty(current)}}<ul class="moment-answers" aria-label="{{text.answersThen}}">{{#current}}<li>{{id}} <span class="answer {{word}}"><span aria-hidden="true">{{mark}}</span> {{answer}}</span> <span class="soft">{{reason}}</span></li>{{/current}}</ul>{{/empty(current)}}{{/answers}}
        </div>

        """

    /// The actions on a customer.
    static let acts = """
        <section id="actions" class="screen" aria-labelledby="actions-heading">
        <h3 id="actions-heading">{{text.actionsHeading}}</h3>
        <div class="acts">
        {{#fetch}}<details id="fetch"><summary>{{text.actionFetch}}</summary>
        <form method="post" action="{{address}}" aria-label="{{text.actionFetch}}"><p>{{question}}</p>
        <input type="hidden" name="customer" value="{{customer}}"><button class="primary">{{text.fetchButton}}</button></form></details>{{/fetch}}
        {{#claim}}<details id="claim"{{#isOpen}} open{{/isOpen}}><summary>{{text.actionClaim}}</summary>
        {{#question}}<form method="post" action="{{address}}" aria-label="{{text.claimForm}}"><p>{{question}}</p>
        <input type="hidden" name="customer" value="{{customer}}"><input type="hidden" name="purchase" value="{{typed}}"><button class="primary">{{text.claimConfirm}}</button></form>{{/question}}
        {{#mistake}}<p class="complaint" role="alert">{{mistake}}</p>{{/mistake}}
        {{#transfer}}<form method="post" action="{{address}}" aria-label="{{text.actionTransfer}}"><p>{{question}}</p>
        <input type="hidden" name="customer" value="{{customer}}"><input type="hidden" name="purchase" value="{{typed}}">
        <div class="act"><span class="field"><label for="transfer-reason">{{text.reason}}</label><input id="transfer-reason" name="reason" required maxlength="1024" size="30"></span>
        <button class="danger">{{text.transferConfirm}}</button></div></form>{{/transfer}}
        {{^question}}<form method="get" action="/desk#claim" aria-label="{{text.actionClaim}}"><p>{{text.claimHint}}</p>
        <input type="hidden" name="customer" value="{{customer}}">{{#chosenLanguage}}<input type="hidden" name="lang" value="{{chosenLanguage}}">{{/chosenLanguage}}
        <div class="act"><span class="field"><label for="claim-purchase">{{text.claimLabel}}</label><input id="claim-purchase" name="claim" value="{{typed}}" required autocomplete="off" spellcheck="false" size="38"></span>
        <button>{{text.claimButton}}</button></div></form>{{/question}}</details>{{/claim}}
        {{#erase}}<details id="erase"><summary>{{text.actionErase}}</summary>
        <form method="post" action="{{address}}" aria-label="{{text.actionErase}}"><p>{{question}}</p>
        <input type="hidden" name="customer" value="{{customer}}">
        <div class="act"><span class="field"><label for="erase-typed">{{text.eraseLabel}}</label><input id="erase-typed" name="typed" required autocomplete="off" spellcheck="false" size="30"></span>
        <span class="field"><label for="erase-reason">{{text.eraseReason}}</label><input id="erase-reason" name="reason" required maxlength="1024" size="30"></span>
        <button class="danger">{{text.eraseButton}}</button></div></form></details>{{/erase}}
        </div>
        {{#refusals}}<p class="soft">{{.}}</p>{{/refusals}}
        </section>
        """
}

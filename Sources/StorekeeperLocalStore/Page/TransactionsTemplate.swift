/// The view of transactions and its inspector.
enum TransactionsTemplate {
    static let text = """
        <div class="split{{#inspector}} inspecting{{/inspector}}">
        <section aria-labelledby="transactions-heading">
        <h2 id="transactions-heading">Transactions{{#person}} of {{person}}{{/person}}</h2>
        {{^person}}<p class="soft">Choose a customer in the list 'Customers' to see what they own, since when, and why.</p>{{/person}}
        {{#buying}}<div class="panel buying">
        <form class="act" method="post" action="/page/steps" id="{{formID}}" aria-label="Buy">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}">
        {{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">{{/hidden}}
        {{#fields}}{{#isNeeded}}<span class="field"><label for="{{fieldID}}">{{fieldLabel}}</label>{{#text}}<input id="{{fieldID}}" name="{{fieldName}}" value="{{typed}}" placeholder="{{placeholder}}" required autocomplete="off" spellcheck="false"{{#problem}} aria-invalid="true" aria-describedby="{{fieldID}}-error"{{/problem}}>{{/text}}{{#choices}}<select id="{{fieldID}}" name="{{fieldName}}">{{#values}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/values}}</select>{{/choices}}{{#problem}}<span class="complaint" id="{{fieldID}}-error">{{problem}}</span>{{/problem}}</span>
        {{/isNeeded}}{{/fields}}<button class="primary" id="buy-button">Buy</button>
        <details class="more" id="buy-options"{{#isOpen}} open{{/isOpen}}><summary>Options</summary><div class="act">
        {{#fields}}{{^isNeeded}}<span class="field"><label for="{{fieldID}}">{{fieldLabel}}</label>
        {{#text}}<input id="{{fieldID}}" name="{{fieldName}}" value="{{typed}}" placeholder="{{placeholder}}"{{#list}} list="{{list}}"{{/list}} autocomplete="off" spellcheck="false"{{#problem}} aria-invalid="true" aria-describedby="{{fieldID}}-error"{{/problem}}>{{/text}}{{#number}}<input id="{{fieldID}}" name="{{fieldName}}" value="{{typed}}" type="number" min="{{least}}" max="{{most}}"{{#problem}} aria-invalid="true" aria-describedby="{{fieldID}}-error"{{/problem}}>{{/number}}{{#choices}}<select id="{{fieldID}}" name="{{fieldName}}">{{#none}}<option value="">{{none}}</option>{{/none}}{{#values}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/values}}</select>{{/choices}}{{#problem}}<span class="complaint" id="{{fieldID}}-error">{{problem}}</span>{{/problem}}</span>
        {{/isNeeded}}{{/fields}}</div></details>
        </form>
        <details class="more" id="customer-acts"{{#areActsOpen}} open{{/areActsOpen}}><summary>Other actions{{#person}} of {{person}}{{/person}}</summary>
        {{^person}}<p class="soft">Choose a customer to change families, billing and storefront.</p>{{/person}}
        {{> acts}}</details>
        </div>{{/buying}}
        <form class="filter" method="get" action="/" role="search" aria-label="Filter transactions" id="filter-form">
        {{#kept}}<input type="hidden" name="{{name}}" value="{{value}}">{{/kept}}
        <span class="field find"><label for="find">find any part of a product, customer, state, date or id</label><input id="find" name="find" type="search" value="{{find}}" list="find-words" placeholder="gold refunded 2026-02" autocomplete="off" spellcheck="false"></span>
        <button id="filter-button">Find</button><span data-live id="filter-clear">{{#isFiltered}}<a class="button" data-key="clear filter" href="{{clearAddress}}">Clear</a>{{/isFiltered}}</span>
        <details class="more" id="exact-filters"{{#isFilteredExactly}} open{{/isFilteredExactly}}><summary>Exact filters</summary><div class="act">
        <span class="field"><label for="filter-product">product</label><input id="filter-product" name="product" value="{{product}}" list="products" placeholder="any" size="14" autocomplete="off" spellcheck="false"></span>
        <span class="field"><label for="filter-state">state</label><select id="filter-state" name="state"><option value="">any</option>{{#states}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/states}}</select></span>
        <span class="field"><label for="filter-from">bought from</label><input id="filter-from" name="from" value="{{from}}" placeholder="2026-01-01" size="10" autocomplete="off"{{#fromComplaint}} aria-invalid="true" aria-describedby="filter-from-error"{{/fromComplaint}}>{{#fromComplaint}}<span class="complaint" id="filter-from-error" role="alert">{{fromComplaint}}</span>{{/fromComplaint}}</span>
        <span class="field"><label for="filter-until">until</label><input id="filter-until" name="until" value="{{until}}" placeholder="2026-12-31" size="10" autocomplete="off"{{#untilComplaint}} aria-invalid="true" aria-describedby="filter-until-error"{{/untilComplaint}}>{{#untilComplaint}}<span class="complaint" id="filter-until-error" role="alert">{{untilComplaint}}</span>{{/untilComplaint}}</span>
        </div></details>
        </form>
        <datalist id="find-words">{{#findWords}}<option value="{{.}}"></option>{{/findWords}}</datalist>
        <div class="scroll" data-live id="listing">
        <p class="count" aria-live="polite">{{summary}}{{#paging}}{{> paging}}{{/paging}} <a class="refold" data-key="fold" href="{{refoldAddress}}">{{#isUnfolded}}Fold renewals{{/isUnfolded}}{{^isUnfolded}}A row for each period{{/isUnfolded}}</a></p>
        <table class="list{{#person}} of-one{{/person}}" id="transactions">
        <caption class="unseen">Transactions; the column headers sort them</caption>
        <thead><tr>{{#columns}}<th scope="col" class="column-{{name}}"{{#sorting}} aria-sort="{{sorting}}"{{/sorting}}><a href="{{columnAddress}}" data-key="column {{name}}">{{columnTitle}}<span aria-hidden="true"> {{arrow}}</span></a></th>{{/columns}}</tr></thead>
        <tbody>{{#rows}}<tr id="line-{{id}}" class="line{{#isSelected}} selected{{/isSelected}}{{#isEarlier}} earlier{{/isEarlier}}"><th scope="row" class="column-product"><a class="row-link" id="row-{{id}}" href="{{rowAddress}}"{{#isSelected}} aria-current="true"{{/isSelected}}>{{productName}}</a>{{#productID}} <span class="soft">{{productID}}</span>{{/productID}}<span class="remarks">{{#price}}<span class="amount">{{price}}</span>{{/price}}{{#fold}}{{#foldAddress}}<a class="fold" id="fold-{{id}}" href="{{foldAddress}}" aria-expanded="{{#foldIsOpen}}true{{/foldIsOpen}}{{^foldIsOpen}}false{{/foldIsOpen}}"><span aria-hidden="true">{{#foldIsOpen}}▾{{/foldIsOpen}}{{^foldIsOpen}}▸{{/foldIsOpen}}</span> {{fold}}</a>{{/foldAddress}}{{^foldAddress}}<span>{{fold}}</span>{{/foldAddress}}{{/fold}}{{#marks}}<span class="note {{tone}}">{{markText}}</span>{{/marks}}</span>{{#question}}<span class="asked">{{question}}<br>{{#consents}}<form class="answer-form" method="post" action="/page/steps" id="{{formID}}"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}">{{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">{{/hidden}}<button id="{{formID}}-button" aria-label="{{actTitle}}">{{shortTitle}}</button></form>{{/consents}}</span>{{/question}}</th><td class="column-person">{{customerName}}</td><td class="column-state"><span class="state {{stateWord}}" title="{{sentence}}"><span aria-hidden="true">{{mark}}</span> {{stateWord}}</span></td><td class="column-purchased">{{purchased}} <span class="ago">{{purchasedAgo}}</span></td><td class="column-expires">{{expires}}{{#expiresIn}} <span class="ago">{{expiresIn}}</span>{{/expiresIn}}</td><td class="column-id" title="{{id}}">{{shortID}}</td></tr>
        {{#remainder}}<tr class="line earlier"><td colspan="6"><a href="{{address}}" data-key="remainder {{id}}">{{label}}</a></td></tr>
        {{/remainder}}{{/rows}}{{^rows}}<tr class="none"><td colspan="6">{{#stranger}}There is no customer '{{stranger}}'.{{/stranger}}{{^stranger}}{{#isFiltered}}No transactions match the filter: press 'Clear' to see all.{{/isFiltered}}{{^isFiltered}}Nothing was bought yet: choose a product above and press 'Buy'.{{/isFiltered}}{{/stranger}}</td></tr>{{/rows}}</tbody>
        </table>
        </div>
        </section>
        {{#inspector}}
        {{> inspector}}
        {{/inspector}}
        </div>

        """

    static let inspector = """
        <section class="inspector panel" id="inspector" aria-labelledby="inspector-heading" tabindex="-1">
        <header data-live id="inspector-head">
        <h2 id="inspector-heading">{{product}}{{#secondaryID}} <span class="soft">{{secondaryID}}</span>{{/secondaryID}}</h2>
        <span class="state {{stateWord}}"><span aria-hidden="true">{{mark}}</span> {{stateWord}}</span>
        <a class="button close" id="inspector-close" href="{{closeAddress}}">Close</a>
        </header>
        <p>{{sentence}} <a href="{{answersAddress}}">Why does the customer have it, or not?</a></p>
        <p class="soft number">{{id}}</p>
        {{^empty(places)}}<p id="places">In the catalog: {{#places}}<a href="{{address}}" data-key="place {{label}}">{{label}}</a>{{^last()}}, {{/last()}}{{/places}}</p>{{/empty(places)}}
        <h3>Actions</h3>
        <div class="near" data-live id="near">
        {{#near}}
        {{> press}}
        {{/near}}</div>
        <details class="more" id="inspector-acts"{{#areActsOpen}} open{{/areActsOpen}}><summary>All actions, with their options</summary>
        {{> acts}}</details>
        <h3>Details</h3>
        <dl class="facts" data-live id="inspector-facts">{{#facts}}<div><dt>{{factName}}</dt><dd>{{factValue}}</dd></div>{{/facts}}</dl>
        <h3>Signed</h3>
        <div id="signed" data-live>{{#payloads}}
        {{> payload}}
        {{/payloads}}{{^payloads}}<p class="soft">Nothing was bought, so nothing was signed.</p>{{/payloads}}</div>
        </section>

        """
}

/// The view of transactions and its inspector.
enum TransactionsTemplate {
    static let text = """
        <div class="split{{#inspector}} inspecting{{/inspector}}">
        <section aria-labelledby="transactions-heading">
        <h2 id="transactions-heading">Transactions{{#person}} of {{person}}{{/person}}</h2>
        {{#buying}}<div class="panel buying">
        <form class="act" method="post" action="/page/steps" id="{{formID}}" aria-label="Buy">
        <input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}">
        {{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">{{/hidden}}
        {{#fields}}{{#isNeeded}}<span class="field"><label for="{{fieldID}}">{{fieldLabel}}</label>{{#text}}<input id="{{fieldID}}" name="{{fieldName}}" value="{{typed}}" placeholder="{{placeholder}}" required autocomplete="off" spellcheck="false">{{/text}}{{#choices}}<select id="{{fieldID}}" name="{{fieldName}}">{{#values}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/values}}</select>{{/choices}}</span>
        {{/isNeeded}}{{/fields}}<button class="primary" id="buy-button">Buy</button>
        <details class="more" id="buy-options"{{#isOpen}} open{{/isOpen}}><summary>Options</summary><div class="act">
        {{#fields}}{{^isNeeded}}<span class="field"><label for="{{fieldID}}">{{fieldLabel}}</label>
        {{#text}}<input id="{{fieldID}}" name="{{fieldName}}" value="{{typed}}" placeholder="{{placeholder}}"{{#list}} list="{{list}}"{{/list}} autocomplete="off" spellcheck="false">{{/text}}{{#number}}<input id="{{fieldID}}" name="{{fieldName}}" value="{{typed}}" type="number" min="{{least}}" max="{{most}}">{{/number}}{{#choices}}<select id="{{fieldID}}" name="{{fieldName}}">{{#none}}<option value="">{{none}}</option>{{/none}}{{#values}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/values}}</select>{{/choices}}</span>
        {{/isNeeded}}{{/fields}}</div></details>
        </form>
        <details class="more" id="customer-acts"{{#areActsOpen}} open{{/areActsOpen}}><summary>Other actions{{#person}} of {{person}}{{/person}}</summary>
        {{#customer}}<dl class="facts inline" data-live id="customer-facts">{{#facts}}<div><dt>{{factName}}</dt><dd>{{factValue}}</dd></div>{{/facts}}</dl>{{/customer}}
        {{^person}}<p class="soft">Choose a customer to change families, billing and storefront.</p>{{/person}}
        {{> acts}}</details>
        </div>{{/buying}}
        <form class="filter" method="get" action="/" role="search" aria-label="Filter transactions">
        {{#kept}}<input type="hidden" name="{{name}}" value="{{value}}">{{/kept}}
        <span class="field"><label for="filter-product">product</label><input id="filter-product" name="product" value="{{product}}" list="products" placeholder="any" size="14" autocomplete="off" spellcheck="false"></span>
        <span class="field"><label for="filter-state">state</label><select id="filter-state" name="state"><option value="">any</option>{{#states}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/states}}</select></span>
        <span class="field"><label for="filter-from">bought from</label><input id="filter-from" name="from" value="{{from}}" placeholder="2026-01-01" size="10" autocomplete="off"></span>
        <span class="field"><label for="filter-until">until</label><input id="filter-until" name="until" value="{{until}}" placeholder="2026-12-31" size="10" autocomplete="off"></span>
        <button id="filter-button">Filter</button>{{#isFiltered}} <a class="button" data-key="clear filter" href="{{clearAddress}}">Clear</a>{{/isFiltered}}
        </form>
        {{#complaint}}<p class="complaint" role="alert">{{complaint}}</p>{{/complaint}}
        <div class="scroll" data-live id="listing">
        <p class="count" aria-live="polite">{{count}}{{#isFiltered}} of {{total}}{{/isFiltered}} transactions{{#paging}}{{> paging}}{{/paging}}</p>
        <table class="list" id="transactions">
        <caption class="unseen">Transactions; the column headers sort them</caption>
        <thead><tr>{{#columns}}<th scope="col" class="column-{{name}}"{{#sorting}} aria-sort="{{sorting}}"{{/sorting}}><a href="{{address}}" data-key="column {{name}}">{{columnTitle}}<span aria-hidden="true"> {{arrow}}</span></a></th>{{/columns}}</tr></thead>
        <tbody>{{#rows}}<tr{{#isSelected}} class="selected"{{/isSelected}}><th scope="row" class="column-product"><a class="row-link" id="row-{{id}}" href="{{address}}"{{#isSelected}} aria-current="true"{{/isSelected}}>{{product}}</a>{{#notes}} <span class="note">{{.}}</span>{{/notes}}{{#consents}} <form class="answer-form" method="post" action="/page/steps" id="{{formID}}" aria-label="{{actTitle}}"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}">{{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">{{/hidden}}<button id="{{formID}}-button">{{actTitle}}</button></form>{{/consents}}</th><td class="column-person">{{customer}}</td><td class="column-state"><span class="state {{stateWord}}"><span aria-hidden="true">{{mark}}</span> {{stateWord}}</span></td><td class="column-purchased">{{purchased}}</td><td class="column-expires">{{expires}}</td><td class="column-id" title="{{id}}">{{shortID}}</td></tr>
        {{/rows}}{{^rows}}<tr class="none"><td colspan="6">{{#stranger}}There is no customer '{{stranger}}'.{{/stranger}}{{^stranger}}{{#isFiltered}}No transactions match the filter.{{/isFiltered}}{{^isFiltered}}Nothing was bought yet: choose a product above and buy it.{{/isFiltered}}{{/stranger}}</td></tr>{{/rows}}</tbody>
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
        <h2 id="inspector-heading">{{product}}</h2>
        <span class="state {{stateWord}}"><span aria-hidden="true">{{mark}}</span> {{stateWord}}</span>
        <a class="button close" id="inspector-close" href="{{closeAddress}}">Close</a>
        </header>
        <p class="soft number">{{id}}</p>
        <h3>Actions</h3>
        <div class="near" data-live id="near">{{#near}}<form method="post" action="/page/steps" id="{{formID}}" aria-label="{{actTitle}}"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{back}}">{{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">{{/hidden}}<button id="{{formID}}-button" title="{{help}}"{{^isPossible}} disabled{{/isPossible}}>{{actTitle}}</button></form>{{/near}}</div>
        <details class="more" id="inspector-acts"{{#areActsOpen}} open{{/areActsOpen}}><summary>All acts, with their options</summary>
        {{> acts}}</details>
        <h3>Details</h3>
        <dl class="facts" data-live id="inspector-facts">{{#facts}}<div><dt>{{factName}}</dt><dd>{{factValue}}</dd></div>{{/facts}}</dl>
        <p><a href="{{answersAddress}}">Why does the customer have it, or not?</a></p>
        <h3>Signed</h3>
        <div id="signed" data-live>{{#payloads}}
        {{> payload}}
        {{/payloads}}{{^payloads}}<p class="soft">Nothing was bought, so nothing was signed.</p>{{/payloads}}</div>
        </section>

        """
}
